import { isAdmin } from '@flotilla/contract/access'
import type { User } from '@flotilla/contract/people/users'
import { createContext, useContext, useState } from 'react'
import type { ReactNode } from 'react'
import { useSession } from './store'

const CurrentUser = createContext<User | null>(null)

/**
 * Provides the user to everything behind login. Keeps the last one: between a logout and the router leaving the page,
 * the page is still rendered.
 */
export function UserProvider({ children }: { children: (user: User) => ReactNode }) {
  const session = useSession()
  const [last, setLast] = useState<User | null>(null)
  const user = session.status === 'in' ? session.user : last
  if (user !== last) setLast(user)
  return user && <CurrentUser value={user}>{children(user)}</CurrentUser>
}

export function useUser(): User {
  const user = useContext(CurrentUser)
  if (!user) throw new Error('useUser is for pages behind login')
  return user
}

export const useIsAdmin = (): boolean => isAdmin(useUser())
