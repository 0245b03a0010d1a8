import { Callout } from '../ui/feedback/callout'

/** Explains why a list is unavailable, and what to do instead: 'enter an image name'. */
export const ListUnavailable = ({ reason, instead }: { reason: string; instead: string }) => (
  <Callout tone="amber">
    {reason} You can still {instead}.
  </Callout>
)
