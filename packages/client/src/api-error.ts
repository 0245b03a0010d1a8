import { firstMessages } from '@flotilla/contract/first-messages'

type Facts = {
  status: number
  code: string
  message: string
  fields?: Record<string, string> | undefined
  reason?: string | undefined
  allowedDomains?: string[] | undefined
  publicKey?: string | undefined
  retryAfter?: number | undefined
}

/** Thrown by every failed call. A class, because it is recognized with `instanceof`. */
export class ApiError extends Error {
  // Declared, not defined: this class is part of the first page, where every byte counts.
  /** 0 if the server could not be reached. */
  declare readonly status: number
  declare readonly code: string
  declare readonly fields: Record<string, string>
  declare readonly reason: string | undefined
  declare readonly allowedDomains: string[] | undefined
  declare readonly publicKey: string | undefined
  /** Seconds to wait before the next attempt. */
  declare readonly retryAfter: number | undefined
  declare readonly network: boolean

  constructor({ status, code, message, fields = {}, reason, allowedDomains, publicKey, retryAfter }: Facts) {
    super(message)
    const network = status === 0
    Object.assign(this, {
      name: 'ApiError',
      status,
      code,
      fields,
      reason,
      allowedDomains,
      publicKey,
      retryAfter,
      network,
    })
  }
}

/** Converts anything thrown to an error that can be shown. */
export const toApiError = (error: unknown): ApiError =>
  error instanceof ApiError
    ? error
    : new ApiError({ status: 500, code: 'unknown', message: firstMessages.unknownError })
