import { Callout } from '../ui/callout'

/** Why a list is not there, and what can be done instead: 'type the name'. */
export const Unanswered = ({ why, instead }: { why: string; instead: string }) => (
  <Callout tone="amber">
    {why} You can still {instead}.
  </Callout>
)
