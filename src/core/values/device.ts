/** The device type, as detected from the user agent. */
export type Device = 'Desktop' | 'Mobile' | 'Tablet' | 'Other'
