import { PASSWORD, type Answer, type TestApp } from './app'

/** Keeps every answer a server gives, for `leaks` at the end of a file. */
export function recordAnswers(server: TestApp): { answers: Answer[] } {
  const answers: Answer[] = []
  const { call } = server
  server.call = async (...request) => {
    const answer = await call(...request)
    answers.push(answer)
    return answer
  }
  return { answers }
}

/** What a mail carries that opens an account: a code, or the last part of a link. */
export const secretIn = (mail: { text: string }): string =>
  /^ {4}(\d{6})$/m.exec(mail.text)?.[1] ?? /\/recoverPassword\/([\w-]+)$/m.exec(mail.text)?.[1] ?? ''

const hashes = [/\$argon2/, /v1\.[\w-]{40}/]
const forLogs = [...hashes, /eyJ[\w-]+\.[\w-]+/, /PRIVATE KEY/, /flt_/]
const forAnswers = [...hashes, /password_?hash/i, /sealed/]

/** Passwords, tokens, codes, keys and hashes found in a line of the log or, though no one asked for them, in an answer. */
export function leaks(server: TestApp, answers: Answer[], more: string[] = []): string[] {
  const mailed = server.mails.map(secretIn).filter((secret) => secret !== '')
  const words = [PASSWORD, ...mailed, ...more].map(
    (secret) => new RegExp(`(?<![\\w-])${escape(secret)}(?![\\w-])`),
  )
  const log = server.log()
  const output = answers.map(({ text }) => text).join('\n')
  if (log === '' || output === '') return ['nothing was looked at']
  return [
    ...[...words, ...forLogs]
      .filter((pattern) => pattern.test(log))
      .map((pattern) => `${pattern.source} in the log`),
    ...[...words, ...forAnswers]
      .filter((pattern) => pattern.test(output))
      .map((pattern) => `${pattern.source} in an answer`),
  ]
}

const escape = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
