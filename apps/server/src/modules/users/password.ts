import { hash, verify } from '@node-rs/argon2'

// argon2id is the library's default; memory in KiB and passes as OWASP advises.
const options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

export const hashPassword = (password: string): Promise<string> => hash(password, options)

/** Somebody without a password (or without an account) takes as long as a wrong password: names cannot be found by the clock. */
let dummy: Promise<string> | undefined
export async function passwordMatches(stored: string | null, password: string): Promise<boolean> {
  dummy ??= hashPassword('no account has this password')
  const matches = await verify(stored ?? (await dummy), password)
  return stored !== null && matches
}
