/** The modules that the build writes. */

declare module "site-labels" {
  export const languages: Record<string, { name: string; labels: Record<string, string> }>;
  export const most: number;
  export const program: string;
}

declare module "site-files" {
  export const digests: Record<string, string>;
}

declare module "play-labels" {
  export const languages: Record<string, { name: string; labels: Record<string, string> }>;
}
