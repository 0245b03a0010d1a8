import type { User } from '@flotilla/contract/people/users'

/** A user for tests, as the server sends it. */
export const testUser = (change: Partial<User> = {}): User => ({
  id: 'u1',
  username: 'ada',
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: 'ada@example.org',
  role: ['user'],
  admin: change.role?.includes('admin') ?? false,
  activities: [],
  verified: true,
  participant: false,
  participantEmail: null,
  sessionCode: null,
  endTime: null,
  providers: null,
  authType: 'local',
  registered: false,
  approvedAt: null,
  approvedBy: null,
  unixAccount: null,
  createdAt: 0,
  lastSeenAt: null,
  ...change,
})
