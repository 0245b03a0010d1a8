import { hash, verify } from '@node-rs/argon2'

// argon2id is the library's default; memory in KiB and passes as OWASP advises.
const options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Node has four threads for slow work. Files and new database connections need some of them while many people log in. */
const AT_ONCE = 2
let running = 0
const waiting: (() => void)[] = []
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE) await new Promise<void>((go) => waiting.push(go))
  else running++
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}

export const hashPassword = (password: string): Promise<string> => inTurn(() => hash(password, options))

/** Somebody without a password (or without an account) takes as long as a wrong password: names cannot be found by the clock. */
let dummy: Promise<string> | undefined
export async function passwordMatches(stored: string | null, password: string): Promise<boolean> {
  dummy ??= hashPassword('no account has this password')
  const known = stored ?? (await dummy)
  const matches = await inTurn(() => verify(known, password))
  return stored !== null && matches
}
