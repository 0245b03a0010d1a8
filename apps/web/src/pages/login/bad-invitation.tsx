import { Callout } from '../../ui/feedback/callout'

export default function BadInvitation({ message }: { message: string }) {
  return (
    <div className="mb-5">
      <Callout tone="amber" title={message} alert>
        You can still log in with your username and password.
      </Callout>
    </div>
  )
}
