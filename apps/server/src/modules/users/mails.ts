import type { Mail } from '../../mail/mail'

type Person = { username: string; email: string }

export const recoveryMail = (person: Person, link: string): Mail => ({
  to: person.email,
  subject: 'Set a new password',
  text: `Hello ${person.username},

somebody, most likely you, asked to set a new password for your account. Open this link within an hour:

${link}

It works once. If it was not you, ignore this mail: your password stays as it is.
`,
})

export const emailChangedMail = (person: Person, newEmail: string): Mail => ({
  to: person.email,
  subject: 'Your email address was changed',
  text: `Hello ${person.username},

the email address of your account was changed to ${newEmail}. If it was not you, tell an administrator at once.
`,
})

export const approvedMail = (person: Person, site: string): Mail => ({
  to: person.email,
  subject: 'Your account was approved',
  text: `Hello ${person.username},

an administrator has approved your account. You can now run jobs, open terminals and keep files on the console's own machine:

${site}
`,
})
