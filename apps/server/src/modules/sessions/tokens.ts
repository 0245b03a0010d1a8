import { jwtVerify, SignJWT } from 'jose'
import * as z from 'zod/mini'
import { Role } from '@flotilla/contract/role'
import { TOKEN_LIFE_MS } from '@flotilla/contract/limits'

const ALGORITHM = 'HS256'

/** The claims of a token. It only refers to a session row: roles and rights are read from the database. */
const Claims = z.object({
  sub: z.string(),
  sid: z.string(),
  username: z.string(),
  role: z.array(Role),
  licenseType: z.string(),
  exp: z.number(),
})
export type Claims = z.infer<typeof Claims>

export type Tokens = ReturnType<typeof makeTokens>
export function makeTokens(key: Uint8Array, now: () => number) {
  // A signature stays valid, so it is verified once per token; the expiry is checked at every use.
  const verified = new Map<string, Claims>()
  const verify = async (token: string): Promise<Claims | null> => {
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: [ALGORITHM],
        currentDate: new Date(now()),
      })
      return Claims.parse(payload)
    } catch {
      return null
    }
  }
  return {
    issue: (claims: Omit<Claims, 'exp'>): Promise<string> =>
      new SignJWT({ ...claims })
        .setProtectedHeader({ alg: ALGORITHM })
        .setIssuedAt(Math.floor(now() / 1000))
        .setExpirationTime(Math.floor((now() + TOKEN_LIFE_MS) / 1000))
        .sign(key),
    /** Returns the claims, or null if the token is forged, malformed or expired. */
    async read(token: string): Promise<Claims | null> {
      const known = verified.get(token)
      const claims = known ?? (await verify(token))
      if (!claims || claims.exp * 1000 <= now()) return null
      if (!known) {
        if (verified.size >= 10_000) verified.clear()
        verified.set(token, claims)
      }
      return claims
    },
  }
}
