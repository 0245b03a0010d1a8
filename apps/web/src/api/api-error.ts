import { firstMessages } from '@flotilla/contract/first-messages'

type Facts = {
  status: number
  code: string
  message: string
  fields?: Record<string, string> | undefined
  reason?: string | undefined
  allowedDomains?: string[] | undefined
}

/** What every failed call throws. A class, because it is thrown and told apart by `instanceof`. */
export class ApiError extends Error {
  /** 0 when the server was not reached. */
  readonly status: number
  readonly code: string
  readonly fields: Record<string, string>
  readonly reason: string | undefined
  readonly allowedDomains: string[] | undefined
  readonly network: boolean

  constructor({ status, code, message, fields, reason, allowedDomains }: Facts) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.fields = fields ?? {}
    this.reason = reason
    this.allowedDomains = allowedDomains
    this.network = status === 0
  }
}

/** Whatever was thrown, as something that can be shown. */
export const toApiError = (error: unknown): ApiError =>
  error instanceof ApiError
    ? error
    : new ApiError({ status: 500, code: 'unknown', message: firstMessages.unknownError })
