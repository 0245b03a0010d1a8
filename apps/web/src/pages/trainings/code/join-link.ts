import type { Training } from '@flotilla/contract/trainings/entity'
import { useConfig } from '../../../api/config'
import { paths } from '../../../paths'

/** The link with which participants join, with the session code filled in. */
export function useJoinLink({ data }: Training): string {
  const { server } = useConfig()
  return `${server}${paths.trainingLogin()}?code=${encodeURIComponent(data.sessionCode)}`
}
