/** Texts of mails and SMS, and the interfaces that send them. */
import type { MailDelivery } from '../accounts/account.js'

export interface Mail {
  /** What a message becomes that is accepted: `not_sent` without a mail server, when it is only logged. */
  readonly delivery: MailDelivery
  /** Rejects when the message was not accepted. */
  send(message: MailMessage): Promise<void>
}

export interface MailMessage {
  readonly to: string
  readonly subject: string
  readonly text: string
}

export interface Sms {
  /** Rejects when the message was not accepted. */
  send(to: string, text: string): Promise<void>
}

export function invitationMail(invitation: {
  readonly email: string
  readonly invitedBy: string
  readonly organizationName: string
  readonly url: string
  readonly days: number
}): MailMessage {
  const { email, invitedBy, organizationName, url, days } = invitation
  return mail(
    email,
    `You are invited to ${organizationName}`,
    `${invitedBy} invites you to ${organizationName}.`,
    `Accept the invitation here:\n${url}`,
    `The link works once, for ${days} days. If you do not know what this is about, do nothing.`,
  )
}

export function resetMail(reset: { to: string; login: string; url: string; minutes: number }): MailMessage {
  return mail(
    reset.to,
    'A new password for your account',
    `Somebody, probably you, asked for a new password for the account ${reset.login}.`,
    `Choose it here:\n${reset.url}`,
    `The link works once, for ${reset.minutes} minutes. If it was not you, do nothing: your password stays as it is.`,
  )
}

/** Instead of a link for a new password. */
export function noPasswordMail(user: { to: string; login: string; url: string }): MailMessage {
  return mail(
    user.to,
    'Your account has no password',
    `Somebody, probably you, asked for a new password for the account ${user.login}. It has none that could be changed.`,
    `Sign in with the provider of your company:\n${user.url}/account/sign-in`,
    'If it was not you, do nothing.',
  )
}

export function emailChangeMail(change: { to: string; login: string; url: string; minutes: number }): MailMessage {
  return mail(
    change.to,
    'Confirm your e-mail address',
    `Somebody, probably you, wants to use this address for the account ${change.login}.`,
    `Confirm it here:\n${change.url}`,
    `The link works once, for ${change.minutes} minutes. If it was not you, do nothing: the address is not used.`,
  )
}

/** To the former address. */
export function emailChangedMail(change: { to: string; login: string; email: string }): MailMessage {
  return mail(
    change.to,
    'Your e-mail address was changed',
    `The account ${change.login} now has the e-mail address ${change.email}. Nothing more is sent to this one.`,
    'If it was not you, somebody knows your password: tell the operator of the service at once.',
  )
}

export function passwordChangedMail(to: string, login: string): MailMessage {
  return mail(
    to,
    'Your password was changed',
    `The password of the account ${login} was changed, and all browsers were signed out.`,
    'If it was not you, request a new password on the sign-in page at once.',
  )
}

export function twoFactorOnMail(to: string, login: string): MailMessage {
  const what = `Signing in to the account ${login} now requires a code, too.`
  return mail(to, 'Two-factor authentication was turned on', what, ifNotYou)
}

export function twoFactorOffMail(to: string, login: string, hasPasskeys = false): MailMessage {
  const what = `The account ${login} no longer requires a code to sign in, only the password${hasPasskeys ? ' and a passkey' : ''}.`
  return mail(to, 'Two-factor authentication was turned off', what, ifNotYou)
}

export function passkeyAddedMail(to: string, login: string, name: string): MailMessage {
  const what = `The passkey "${name}" was added to the account ${login}. It signs in without the password.`
  return mail(to, 'A passkey was added', what, ifNotYou)
}

export function passkeyRemovedMail(to: string, login: string, name: string, isLast: boolean): MailMessage {
  const what = `The passkey "${name}" was removed from the account ${login}.`
  const left = isLast ? ['Signing in now requires the password alone, and the recovery codes no longer work.'] : []
  return mail(to, 'A passkey was removed', what, ...left, ifNotYou)
}

export function recoveryCodesMail(to: string, login: string): MailMessage {
  const what = `New recovery codes were created for the account ${login}. The former ones no longer work.`
  return mail(to, 'New recovery codes were created', what, ifNotYou)
}

function mail(to: string, subject: string, ...paragraphs: readonly string[]): MailMessage {
  return { to, subject, text: paragraphs.join('\n\n') }
}

const ifNotYou =
  'If it was not you, somebody knows your password: request a new one on the sign-in page at once, and tell the operator of the service.'

export function codeText(code: string): string {
  return `${code} is your code. It is valid for five minutes. Nobody will ever ask you for it.`
}

/** URLs in mails; edges/pages serves the pages. */
export function invitationUrl(baseUrl: string, secret: string): string {
  return `${baseUrl}/account/invitation?secret=${secret}`
}

export function resetUrl(baseUrl: string, secret: string): string {
  return `${baseUrl}/account/reset?secret=${secret}`
}

export function emailChangeUrl(baseUrl: string, secret: string): string {
  return `${baseUrl}/account/email?secret=${secret}`
}
