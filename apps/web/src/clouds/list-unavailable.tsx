import { Callout } from '../ui/callout'

/** Why a list is not there, and what can be done instead: 'type the name'. */
export const ListUnavailable = ({ reason, instead }: { reason: string; instead: string }) => (
  <Callout tone="amber">
    {reason} You can still {instead}.
  </Callout>
)
