import * as z from 'zod/mini'
import {
  LOGIN_PASSWORD_MIN,
  NAME_MAX,
  NAME_MIN,
  PASSWORD_MAX,
  PASSWORD_MIN,
  UNIX_ACCOUNT_MAX,
  USERNAME_MAX,
  USERNAME_MIN,
} from '../limits'
import { messages } from '../messages'
import { isRestrictedUsername } from './restricted-usernames'

export const Username = z.string().check(
  z.trim(),
  z.minLength(USERNAME_MIN, messages.minLength4),
  z.maxLength(USERNAME_MAX, `Max character length is ${USERNAME_MAX}`),
  z.regex(/^[A-Za-z][A-Za-z0-9]*$/, messages.usernameCharacters),
  z.toLowerCase(),
  z.refine((name) => !isRestrictedUsername(name), messages.usernameRestricted),
)
/** The length that systems and directories accept: often shorter than usernames here, sometimes longer. */
export const UnixAccount = z
  .string()
  .check(
    z.trim(),
    z.maxLength(UNIX_ACCOUNT_MAX, `Max character length is ${UNIX_ACCOUNT_MAX}`),
    z.regex(/^[A-Za-z0-9_][A-Za-z0-9_.@-]*$/, messages.unixAccountCharacters),
  )
const name = (wrongCharacters: string) =>
  z
    .string()
    .check(
      z.trim(),
      z.minLength(NAME_MIN, messages.minLength2),
      z.maxLength(NAME_MAX, `Max character length is ${NAME_MAX}`),
      z.regex(/^[\p{L}\p{M}]+$/u, wrongCharacters),
    )
export const FirstName = name(messages.firstNameCharacters)
export const LastName = name(messages.lastNameCharacters)
export const NewPassword = z
  .string()
  .check(
    z.minLength(PASSWORD_MIN, messages.password),
    z.maxLength(PASSWORD_MAX, `Max character length is ${PASSWORD_MAX}`),
    z.regex(/^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[!@#$%^&*])/s, messages.password),
  )
/** An existing password: only its length is limited. */
export const Password = z
  .string()
  .check(z.minLength(LOGIN_PASSWORD_MIN, messages.minLength4), z.maxLength(PASSWORD_MAX, messages.minLength4))
