/** Calling the player: the title of the tab, a sound, and a notification if these are wanted. */

import { t } from "./labels.js";

const NAME = "Hoity Toity";

/**
 * Say in the title whether something is asked.
 * @param {import("./types").PageState} state
 */
export function attention(state) {
  const isCalled = state.question !== null || state.asks.size > 0;
  const title = isCalled ? `${t("your_turn")} · ${NAME}` : NAME;
  if (document.title !== title) document.title = title;
}

/**
 * Call the player to a new choice.
 * @param {import("./types").PageState} state
 */
export function callPlayer(state) {
  // Before the first click or key no sound is allowed, and trying is complained of.
  if (state.page?.settings.sound && navigator.userActivation?.hasBeenActive !== false) beep();
  if (!document.hidden || !("Notification" in window) || Notification.permission !== "granted")
    return;
  const note = new Notification(NAME, { body: state.question?.title, tag: "turn" });
  note.onclick = () => window.focus();
}

/** Two soft tones. No browser allows a sound before a click or a key. */
function beep() {
  if (navigator.userActivation && !navigator.userActivation.hasBeenActive) return;
  const audio = new AudioContext();
  const volume = audio.createGain();
  volume.connect(audio.destination);
  volume.gain.setValueAtTime(0.08, audio.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.5);
  for (const [pitch, start] of [
    [660, 0],
    [880, 0.14],
  ]) {
    const tone = audio.createOscillator();
    tone.frequency.value = pitch;
    tone.connect(volume);
    tone.start(audio.currentTime + start);
    tone.stop(audio.currentTime + start + 0.3);
  }
  setTimeout(() => audio.close(), 1000);
}
