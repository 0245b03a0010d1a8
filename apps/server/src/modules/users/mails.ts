import type { Mail } from '../../mail/mail'

type Person = { username: string; email: string }

export const recoveryMail = (person: Person, link: string): Mail => ({
  to: person.email,
  subject: 'Set a new password',
  text: `Hello ${person.username},

Someone, most likely you, requested a new password for your account. Open this link within an hour to set one:

${link}

The link works once. If you did not request this, ignore this email. Your password stays the same.
`,
})

export const emailChangedMail = (person: Person, newEmail: string): Mail => ({
  to: person.email,
  subject: 'Your email address was changed',
  text: `Hello ${person.username},

The email address of your account was changed to ${newEmail}. If you did not do this, contact an administrator immediately.
`,
})

export const approvedMail = (person: Person, site: string): Mail => ({
  to: person.email,
  subject: 'Your account was approved',
  text: `Hello ${person.username},

An administrator has approved your account. You can now run jobs, open terminals and store files on the console’s machine:

${site}
`,
})
