/** Files that are imported as text, so that the executable contains them. */
declare module '*.md' {
  const text: string
  export = text
}

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
