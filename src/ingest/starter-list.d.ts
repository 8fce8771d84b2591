/** Imported as a file, the list is its path: on disk, or inside the executable. */
declare module 'eth-phishing-detect/src/config.json' {
  const path: string
  export = path
}
