import type { Entry } from './connection'

export const STATUS_ATTRIBUTES = [
  'userAccountControl',
  'accountExpires',
  'nsAccountLock',
  'loginDisabled',
  'pwdAccountLockedTime',
  'shadowExpire',
]

const ACCOUNT_DISABLED = 2n
const DAY_MS = 24 * 60 * 60_000
/** Active Directory counts tenths of microseconds since 1601. */
const FILETIME_OF_1970 = 116_444_736_000_000_000n
const FILETIME_NEVER = 0x7fff_ffff_ffff_ffffn
/**
 * OpenLDAP's value for a lock by an admin. Other values follow wrong passwords and are temporary; they end no
 * sessions.
 */
const LOCKED_FOR_GOOD = '000001010000Z'

/** Whether the account is disabled or expired, by the attributes of the common directory servers. */
export function isDisabled(entry: Entry, now: number): boolean {
  const number = (attribute: string): bigint => {
    const [value = ''] = entry.values(attribute)
    return /^-?\d{1,19}$/.test(value) ? BigInt(value) : 0n
  }
  const isTrue = (attribute: string) => entry.values(attribute).some((value) => /^true$/i.test(value))
  const accountExpires = number('accountExpires')
  const shadowExpire = Number(number('shadowExpire'))
  return (
    (number('userAccountControl') & ACCOUNT_DISABLED) !== 0n ||
    isTrue('nsAccountLock') ||
    isTrue('loginDisabled') ||
    entry.values('pwdAccountLockedTime').includes(LOCKED_FOR_GOOD) ||
    (accountExpires > 0n &&
      accountExpires < FILETIME_NEVER &&
      Number((accountExpires - FILETIME_OF_1970) / 10_000n) <= now) ||
    (shadowExpire > 0 && shadowExpire * DAY_MS <= now)
  )
}
