import { PASSWORD, type Answer, type TestApp } from './app'

/** Records every reply of a server, for `leaks` at the end of a test file. */
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

/** The secret in a mail that gives access to an account: a code, or the token at the end of a link. */
export const secretIn = (mail: { text: string }): string =>
  /^ {4}(\d{6})$/m.exec(mail.text)?.[1] ?? /\/recoverPassword\/([\w-]+)$/m.exec(mail.text)?.[1] ?? ''

const hashes = [/\$argon2/, /v1\.[\w-]{40}/]
const forLogs = [...hashes, /eyJ[\w-]+\.[\w-]+/, /PRIVATE KEY/, /flt_/]
const forAnswers = [...hashes, /password_?hash/i, /sealed/]

/** Passwords, tokens, codes, keys and hashes found in the log, or in a reply that should not contain them. */
export function leaks(server: TestApp, answers: Answer[], more: string[] = []): string[] {
  const mailed = server.mails.map(secretIn).filter((secret) => secret !== '')
  const patterns = [PASSWORD, ...mailed, ...more].map(
    (secret) => new RegExp(`(?<![\\w-])${escape(secret)}(?![\\w-])`),
  )
  const log = server.log()
  const output = answers.map(({ text }) => text).join('\n')
  if (log === '' || output === '') return ['there was no log or no reply to check']
  return [
    ...[...patterns, ...forLogs]
      .filter((pattern) => pattern.test(log))
      .map((pattern) => `${pattern.source} in the log`),
    ...[...patterns, ...forAnswers]
      .filter((pattern) => pattern.test(output))
      .map((pattern) => `${pattern.source} in an answer`),
  ]
}

const escape = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
