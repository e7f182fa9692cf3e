/** The person's own account: name, e-mail address, password, second factor, sessions, tokens, applications. */
import { PageHead } from '../../parts/PageHead.js'
import page from '../../parts/page.module.css'
import { people } from '../../texts/people.js'
import { texts } from '../../texts/texts.js'
import { ApplicationsCard } from './ApplicationsCard.js'
import { ConnectionsCard } from './ConnectionsCard.js'
import { EmailCard } from './EmailCard.js'
import { PasskeysCard } from './PasskeysCard.js'
import { PasswordCard } from './PasswordCard.js'
import { ProfileCard } from './ProfileCard.js'
import { SessionsCard } from './SessionsCard.js'
import { TokensCard } from './TokensCard.js'
import { TwoFactorCard } from './TwoFactorCard.js'

export function AccountPage() {
  return (
    <>
      <PageHead title={texts.shell.account} />
      <div className={page.page}>
        <ProfileCard />
        <h2 className={page.part}>{people.account.signingIn}</h2>
        <EmailCard />
        <PasswordCard />
        <TwoFactorCard />
        <PasskeysCard />
        <SessionsCard />
        <h2 className={page.part}>{people.account.programs}</h2>
        <TokensCard />
        <ConnectionsCard />
        <ApplicationsCard />
      </div>
    </>
  )
}
