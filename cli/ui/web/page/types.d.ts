/** The types of the page. The messages are those of docs/table.schema.json; this file is not served. */

import type { Actions as ActionsClass } from "./actions.js";

export type Piece = [slot: number, letter: string, year: number, secret: boolean];
export type StyledText = [words: string, style: string];
export type Dialog = "menu" | "keys" | "phrases" | null;
export type Link = "connecting" | "open" | "lost" | "refused" | "replaced" | "nowhere" | "over";

export interface WindowState {
  top: Piece | null;
  size: number;
}
export interface SeatState {
  colour: string;
  field: number;
  rank: number;
  place: string | null;
  action: number | null;
  got: string;
  hand: number[];
  pieces: Piece[];
  unknown: number;
  best: number[] | null;
  shown: number[] | null;
  presence: string;
  status: string;
}
export interface Board {
  round: number;
  phase: string;
  headline: string;
  leader: number;
  octagon: [number, number];
  windows: WindowState[];
  register: number[];
  prison: (number | null)[];
  awaited: number[];
  sealed: number[];
  seats: SeatState[];
}
export interface Edition {
  name: string;
  categories: Record<string, string>;
  collectibles: { card: number; letter: string; year: number; name: string }[];
  octagons: [number, number][];
  banquet: number;
  last_field: number;
}
export interface SeatIdentity {
  seat: number;
  nickname: string;
  mark: string;
  fingerprint: string | null;
  table_key: string;
}
export interface Card {
  id: number;
  kind: string;
  number: number | null;
  colour: string;
}
export interface Table {
  game: string;
  seat: number | null;
  variant: string | null;
  seats: SeatIdentity[];
  edition: Edition;
  cards: Card[];
}
export interface Entry {
  choice: any;
  words: string;
  note: string;
}
export interface Question {
  id: number;
  kind: string;
  title: string;
  again: boolean;
  entries: Entry[];
  slots: number[];
  groups: number[][];
  at: number;
}
export interface Checked {
  question: number;
  is_legal: boolean;
  words: string;
}
export interface Clock {
  awaited: number[];
  waited: number;
  left: number | null;
  words: string;
  at: number;
}
export interface Ask {
  id: number;
  form: string;
  words: string;
  fields: Record<string, any>;
  seconds: number | null;
  at: number;
}
export interface Lobby {
  names: string[];
  seats: number;
  ticket: string | null;
  link: string | null;
  code: string | null;
  reach: string | null;
  reasons: { words: string }[];
  lines: string[];
  pages: string[];
}
export interface Beat {
  index: number;
  words: string[];
  seconds: number;
  left: number;
  board: Board;
  at: number;
}
export interface Standing {
  rank: number;
  seat: number;
  nickname: string;
  field: number;
  exhibit: Piece[];
  gained: number;
}
export interface Ending {
  words: string;
  standings: Standing[];
  paths: number[][];
  moments: string[];
  transcript: string | null;
  awaited: number[];
  left: number;
}
export interface Page {
  mode: string;
  labels: Record<string, string>;
  languages: Record<string, string>;
  has_hints: boolean;
  may_talk: boolean;
  by_bot: boolean;
  settings: { light: boolean | null; sound: boolean; staged: boolean };
}
export interface Hello {
  program: string;
  language: string;
  phrases: string[];
}
export interface Deal {
  done: number;
  total: number;
  words: string;
  promises: string[];
}
export interface Explain {
  ask: number;
  words: string;
  points: string[];
}
export interface Sheet {
  name: string;
  title: string;
  lines: StyledText[][];
  ticket: string | null;
  qr: string | null;
  size: number;
}
export interface Film {
  length: number;
  at: number;
  rounds: number[];
  eyes: number | null;
  verdict: StyledText;
}
export interface StoryLine {
  kind: string;
  words: string;
  seat: number | null;
  who: string;
  isOwn: boolean;
}

export interface PageState {
  link: Link;
  hello: Hello | null;
  page: Page | null;
  lobby: Lobby | null;
  deal: Deal | null;
  table: Table | null;
  board: Board | null;
  beat: Beat | null;
  story: StoryLine[];
  clock: Clock | null;
  asks: Map<number, Ask>;
  question: Question | null;
  /** The number of the entry that is picked. */
  chosen: number | null;
  /** The slots that are marked. */
  picked: Set<number>;
  verdict: Checked | null;
  /** An answer was sent, and neither taken nor refused yet. */
  isSent: boolean;
  /** The last choice was taken. */
  isSealed: boolean;
  complaint: string;
  explain: Explain | null;
  alarms: { words: string }[];
  ending: Ending | null;
  film: Film | null;
  sheet: Sheet | null;
  saved: string;
  bye: { words: string } | null;
  /** What is read aloud. */
  news: string;
  /** When the socket was lost. */
  lostAt: number;
}

/** How the page and the program reach each other. */
export interface Wire {
  open(take?: boolean): void;
  /** Be told everything anew. */
  renew(): void;
  send(message: Record<string, unknown>): boolean;
  /** Save the file of the last game, where the page itself has to. */
  keep?(): void;
  /** Begin anew, where the page itself is the program. */
  again?(): void;
}
export type WireMaker = new (
  onMessage: (message: any) => void,
  onLink: (link: Exclude<Link, "over">) => void,
) => Wire;

export type Actions = ActionsClass;
export interface Context {
  state: PageState;
  act: Actions;
  pointed: (part: string) => string;
}
