import { messages } from '@flotilla/contract/messages'
import type { ApiError } from '@flotilla/client/api-error'
import { paths } from '../../paths'
import { Callout } from '../../ui/feedback/callout'
import { TextLink } from '../../ui/button/link'

/** A rejected login shows a generic message; any other failure shows the server's code and message. */
export default function LoginFailure({ failure, username }: { failure: ApiError; username: string }) {
  if (failure.status === 401) return <Callout tone="red" title={messages.authenticationError} alert />
  return (
    <Callout tone="red" title={`${failure.code}: ${failure.message}`} alert>
      {failure.code === 'not_verified' && (
        <TextLink to={paths.verify()} search={{ username }}>
          Enter the code from the email
        </TextLink>
      )}
    </Callout>
  )
}
