import type { Role } from '@flotilla/contract/access'
import type { RunningServer } from '../../server'
import * as store from './store'
import { daysAgo } from './time'

export const PASSWORD = 'Demo!2026'

type DemoPerson = {
  username: string
  firstName: string
  lastName: string
  role: Role[]
  /** How long ago the account was created, in days. */
  since: number
  /** Whether they registered themselves and no admin has approved them yet. */
  registered?: true
}

export const people: DemoPerson[] = [
  { username: 'grace', firstName: 'Grace', lastName: 'Okafor', role: ['admin', 'user'], since: 210 },
  { username: 'tomasz', firstName: 'Tomasz', lastName: 'Nowak', role: ['admin', 'user'], since: 180 },
  { username: 'maria', firstName: 'Maria', lastName: 'Silva', role: ['instructor', 'user'], since: 150 },
  { username: 'kenji', firstName: 'Kenji', lastName: 'Watanabe', role: ['instructor'], since: 64 },
  { username: 'amina', firstName: 'Amina', lastName: 'Diallo', role: ['user'], since: 140 },
  { username: 'lars', firstName: 'Lars', lastName: 'Lindqvist', role: ['user'], since: 132 },
  { username: 'chenwei', firstName: 'Wei', lastName: 'Chen', role: ['user'], since: 120 },
  { username: 'priya', firstName: 'Priya', lastName: 'Raman', role: ['user'], since: 118 },
  { username: 'sofia', firstName: 'Sofía', lastName: 'Herrera', role: ['user'], since: 90 },
  { username: 'noah', firstName: 'Noah', lastName: 'Feldman', role: ['user'], since: 61 },
  { username: 'fatima', firstName: 'Fatima', lastName: 'Benali', role: ['user'], since: 61 },
  { username: 'leilani', firstName: 'Leilani', lastName: 'Kahale', role: ['user'], since: 33 },
  { username: 'marcus', firstName: 'Marcus', lastName: 'Webb', role: ['user'], since: 1, registered: true },
]

/** Creates everyone who does not exist yet. */
export async function seedPeople({ app, db }: Pick<RunningServer, 'app' | 'db'>, now: number): Promise<void> {
  for (const { since, ...person } of people) {
    if (await app.users.findForLogin(person.username)) continue
    await db.transaction(async (tx) => {
      const id = await app.users.insert(tx, {
        ...person,
        email: `${person.username}@example.org`,
        password: PASSWORD,
        verified: true,
      })
      await store.setJoined(tx, id, daysAgo(now, since))
    })
  }
}
