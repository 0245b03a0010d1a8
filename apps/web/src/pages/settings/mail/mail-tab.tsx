import { mail } from '@flotilla/contract/site/mail'
import { useApiQuery } from '../../../api/query'
import { Async } from '../../../ui/feedback/async'
import { Card } from '../../../ui/layout/card'
import { SkeletonText } from '../../../ui/feedback/skeleton'
import { MailForm } from './mail-form'
import { TestForm } from './test-form'

/** The mail server of the site, and a test of it. */
export function MailTab() {
  const current = useApiQuery(mail.view, {})
  return (
    <div className="flex max-w-[760px] flex-col gap-4">
      <Card
        title="Mail server"
        description="Sends recovery links, invitations and codes. Without one, mail is only written to files on the server."
      >
        <Async data={current} skeleton={<SkeletonText lines={8} />}>
          {(found) => <MailForm current={found} />}
        </Async>
      </Card>
      <Card
        title="Send a test email"
        description="Uses the saved settings and shows the mail server’s response."
      >
        <TestForm />
      </Card>
    </div>
  )
}
