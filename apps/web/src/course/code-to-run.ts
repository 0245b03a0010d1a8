const SHELLS = ['bash', 'sh', 'shell', 'zsh']

/** The text that running a code block types into a terminal; null for code that is not a command. */
export function codeToRun(code: string, language: string): string | null {
  const kind = language.toLowerCase()
  if (SHELLS.includes(kind)) return code
  if (kind !== 'console') return null
  // A console session has commands after a prompt, with their output in between.
  const commands = code.split('\n').flatMap((line) => /^[$#] (.*)$/.exec(line)?.[1] ?? [])
  return commands.length > 0 ? commands.join('\n') : null
}
