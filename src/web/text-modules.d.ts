/** Samples that are imported as text: they stand in the executable. */
declare module '*.sh' {
  const text: string
  export = text
}

declare module '*.py' {
  const text: string
  export = text
}

declare module '*.go' {
  const text: string
  export = text
}

declare module '*.css' {
  const text: string
  export = text
}
