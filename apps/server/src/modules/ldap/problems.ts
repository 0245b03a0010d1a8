import { ExplainedError, messageOf } from '../../explain'

/** Why a directory cannot be used, for admins. Users who log in see less detail. */
export class LdapProblem extends ExplainedError {
  constructor(
    readonly explanation: string,
    readonly timedOut = false,
    /** The directory's result code, if it responded. */
    readonly resultCode?: number,
  ) {
    super(explanation)
  }
}

const certificateProblems: Record<string, string> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'is signed by an unknown certificate authority',
  UNABLE_TO_GET_ISSUER_CERT: 'is signed by an unknown certificate authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'is signed by an unknown certificate authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'is signed by an unknown certificate authority',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'is self-signed',
  CERT_SIGNATURE_FAILURE: 'is signed by an unknown certificate authority',
  CERT_HAS_EXPIRED: 'has expired',
  CERT_NOT_YET_VALID: 'is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'is for another name',
}
const networkProblems: Record<string, (at: string) => string> = {
  ECONNREFUSED: (at) => `${at} refused the connection. Check the address, and that the server is running.`,
  ECONNRESET: (at) => `${at} closed the connection. Check that the address and the encryption match.`,
  EPIPE: (at) => `${at} closed the connection`,
  ENOTFOUND: (at) => `The hostname in ${at} cannot be resolved`,
  EAI_AGAIN: (at) => `The hostname in ${at} cannot be resolved right now`,
  ETIMEDOUT: (at) => `${at} did not respond. Check the address and any firewall in between.`,
  EHOSTUNREACH: (at) => `${at} is not reachable from the console’s machine`,
  ENETUNREACH: (at) => `${at} is not reachable from the console’s machine`,
}
/** Descriptions of RFC 4511 result codes, whose names say little. */
const answers: Record<number, string> = {
  1: 'could not process the request',
  2: 'does not understand the request: it may not support StartTLS',
  8: 'requires an encrypted or stronger login',
  11: 'found too many entries',
  13: 'requires an encrypted connection',
  18: 'cannot apply this filter',
  32: 'has no such entry',
  34: 'does not accept this DN',
  48: 'does not allow this authentication method',
  49: 'rejected the DN or the password',
  50: 'does not allow this account to read this entry',
  51: 'is busy',
  52: 'is unavailable',
  53: 'refused the request',
}

export function problemOf(error: unknown, at: string): LdapProblem {
  if (error instanceof LdapProblem) return error
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const text = messageOf(error)
  if (typeof code === 'number')
    return new LdapProblem(
      `${at} ${answers[code] ?? 'refused the request'} (LDAP result ${code})`,
      false,
      code,
    )
  const certificate = certificateProblems[String(code)]
  if (certificate !== undefined)
    return new LdapProblem(`The certificate of ${at} ${certificate} (${String(code)})`)
  return new LdapProblem(networkProblems[String(code)]?.(at) ?? `${at}: ${text}`)
}
