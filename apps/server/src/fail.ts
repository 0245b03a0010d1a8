import { errors, type ErrorCode } from '@flotilla/contract/errors'

type Details = {
  /** Replaces the catalog's text with a more specific one. */
  message?: string
  fields?: Record<string, string>
  extras?: Record<string, unknown>
  /** Seconds, for the header `retry-after`. */
  retryAfter?: number
}

/** The only way to report a failure: a code from the catalog, with its status and text. */
export class Failure extends Error {
  readonly status: number
  constructor(
    readonly code: ErrorCode,
    readonly details: Details = {},
  ) {
    super(details.message ?? errors[code].message)
    this.status = errors[code].status
  }
}

/**
 * Whether it is more than an outage, which the catalog gives status 503. Only such a failure may end what a person has open
 * or remove what is on record.
 */
export const isPermanent = (error: unknown): error is Failure =>
  error instanceof Failure && error.status !== 503

export const fail = (code: ErrorCode, details?: Details): never => {
  throw new Failure(code, details)
}
