import { describe, expect, it } from 'vitest'
import { messages } from '../messages'
import { Email } from '../email'
import { FirstName, LastName, NewPassword, Username } from './account-fields'

type Checked = { safeParse(value: string): { success: boolean; error?: { issues: { message: string }[] } } }
const messageFor = (schema: Checked, value: string): string | undefined =>
  schema.safeParse(value).error?.issues[0]?.message

describe('the fields of a new account', () => {
  it.each([
    ['ada', messages.minLength4],
    ['1ada', messages.usernameCharacters],
    ['ada lovelace', messages.usernameCharacters],
    ['Admin', messages.usernameRestricted],
    ['ROOT', messages.usernameRestricted],
    ['postgres', messages.usernameRestricted],
    ['Munge', messages.usernameRestricted],
    ['slurm', messages.usernameRestricted],
    ['daemon', messages.usernameRestricted],
    ['nobody', messages.usernameRestricted],
    ['wwwdata', messages.usernameRestricted],
    ['ubuntu', messages.usernameRestricted],
    ['slurmfan', undefined],
    ['ada1', undefined],
  ])('username %s', (value, message) => expect(messageFor(Username, value)).toBe(message))

  it.each([
    ['A', messages.minLength2],
    ['Ada1', messages.firstNameCharacters],
    ['Zoë', undefined],
  ])('first name %s', (value, message) => expect(messageFor(FirstName, value)).toBe(message))

  it('last name has its own message', () =>
    expect(messageFor(LastName, "O'Brien")).toBe(messages.lastNameCharacters))

  it.each(['nobody', 'a@b', '@example.org'])('email %s', (value) =>
    expect(messageFor(Email, value)).toBe(messages.email),
  )

  it.each(['Short1!', 'alllower1!', 'ALLUPPER1!', 'NoDigits!!', 'NoSpecial11'])('password %s', (value) =>
    expect(messageFor(NewPassword, value)).toBe(messages.password),
  )
  it('accepts a valid password', () => expect(messageFor(NewPassword, 'Passw0rd!')).toBeUndefined())
})
