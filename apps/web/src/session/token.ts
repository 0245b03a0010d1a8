import { TOKEN_LIFE_MS } from '@flotilla/contract/limits'

/** What the web reads from a token: its lifetime and user. Only the server can verify it. */
export function readToken(token: string): { lifeMs: number; subject: string | null } {
  const { sub, iat, exp } = payload(token)
  // The difference, not the absolute time: server and browser clocks may disagree.
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
