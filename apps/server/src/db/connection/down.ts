import { ExplainedError } from '../../explain'
import { Failure } from '../../fail'

const codes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  // too many connections, and a server that stops, has crashed, or is starting
  '53300',
  '57P01',
  '57P02',
  '57P03',
  // the server ended a session that sat idle in a transaction
  '25P03',
])

/** The codes of a statement that took too long or ended in a deadlock: it was rolled back and can be retried. */
const busyCodes = new Set(['57014', '40001', '40P01', '55P03'])

// The driver gives these no code.
const messages = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Query read timeout',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
  'Cannot use a pool after calling end on the pool',
]

const codeOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : '')

/** Whether the database was reached but is overloaded. */
export const isDatabaseBusy = (error: unknown): boolean =>
  error instanceof Error && (busyCodes.has(codeOf(error)) || isDatabaseBusy(error.cause))

/**
 * Whether this error means that the database could not be reached or was overloaded, rather than that it rejected the
 * query.
 */
export function isDatabaseDown(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  // A failed connection to a machine, an engine or a cloud has the same codes, and its own explanation.
  if (error instanceof ExplainedError || error instanceof Failure) return false
  const code = codeOf(error)
  if (codes.has(code) || busyCodes.has(code) || /^08...$/.test(code)) return true
  if (messages.some((message) => error.message.startsWith(message))) return true
  // A name with several addresses fails with one error for each.
  if (error instanceof AggregateError && error.errors.some(isDatabaseDown)) return true
  return isDatabaseDown(error.cause)
}

/**
 * Whether the database may have executed the statement although no reply came: a process that was only paused executes
 * it when it resumes.
 */
export function isOutcomeUnknown(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const lost = ['Query read timeout', 'Connection terminated unexpectedly', 'Client was closed']
  return lost.some((message) => error.message.startsWith(message)) || isOutcomeUnknown(error.cause)
}
