import { expect, type Page } from '@playwright/test'
import { setFaults } from './clouds'
import type { Picture } from './fixtures'
import { inspect } from './screen'
import type { Server } from './server'

/** Chooses a network and a subnet from the cloud account instead of typing their IDs, then clears both fields. */
export async function chooseFromAccount(page: Page, picture: Picture, server: Server): Promise<void> {
  const open = (field: string) =>
    page.getByRole('button', { name: `Choose the ${field} from the account` }).click()
  const subnet = page.getByRole('textbox', { name: /^Subnet/ })
  const vpc = page.getByRole('textbox', { name: /^VPC/ })
  await open('VPC')
  const vpcs = page.getByRole('dialog', { name: 'VPC' })
  await expect(vpcs.getByRole('button', { name: 'Choose research' })).toContainText('172.31.0.0/16, default')
  await inspect(page, picture, 'account-vpcs')
  await vpcs.getByRole('textbox', { name: 'Search' }).fill('nowhere')
  await expect(vpcs.getByText('No match for “nowhere”')).toBeVisible()
  await vpcs.getByRole('button', { name: 'Clear search' }).click()
  await vpcs.getByRole('textbox', { name: 'Search' }).fill('172.31 DEFAULT')
  await vpcs.getByRole('button', { name: 'Choose research' }).click()
  await expect(vpc).toHaveValue(/^vpc-[0-9a-f]{17}$/)

  // The dialog lists only subnets of the chosen network, and none for a network that does not exist.
  await open('Subnet')
  await page.getByRole('dialog', { name: 'Subnet' }).getByRole('button', { name: 'Choose research' }).click()
  await expect(subnet).toHaveValue(/^subnet-/)
  await vpc.fill('vpc-0a1b2c3d4e5f67890')
  await open('Subnet')
  await expect(page.getByRole('dialog', { name: 'Subnet' })).toContainText(
    'Nothing found in VPC vpc-0a1b2c3d4e5f67890.',
  )
  await page.keyboard.press('Escape')

  // When the cloud rejects the request, the dialog shows its error and can be closed or retried.
  await setFaults(server, { '*': { fault: 'badCredential' } })
  await open('Elastic IP')
  const addresses = page.getByRole('dialog', { name: 'Elastic IP' })
  await expect(addresses.getByRole('alert')).toContainText('InvalidClientTokenId')
  await inspect(page, picture, 'account-refused', ['phone'])
  await setFaults(server, {})
  await addresses.getByRole('button', { name: 'Try again' }).click()
  await expect(addresses.getByRole('button', { name: 'Choose head' })).toContainText('198.18.255.1')
  await page.keyboard.press('Escape')
  await vpc.fill('')
  await subnet.fill('')
}
