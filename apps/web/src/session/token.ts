import { TOKEN_LIFE_MS } from '@flotilla/contract/limits'

/** What the web reads of a token: how long it lives and whose it is. Only the server can say whether it is genuine. */
export function readToken(token: string): { lifeMs: number; subject: string | null } {
  const { sub, iat, exp } = payload(token)
  // The difference of the two, not the moment: the clocks of server and browser need not agree.
  const lifeMs = typeof iat === 'number' && typeof exp === 'number' ? (exp - iat) * 1000 : TOKEN_LIFE_MS
  return { lifeMs, subject: typeof sub === 'string' ? sub : null }
}

function payload(token: string): Record<string, unknown> {
  try {
    const text = atob((token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/'))
    return { ...JSON.parse(text) }
  } catch {
    return {}
  }
}
