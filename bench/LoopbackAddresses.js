/** Few enough connections of each address for MAX_CONNECTIONS_PER_ADDRESS, with up to 8,000 connections. */
const ADDRESSES = 100

/**
 * An address of loopback for the nth connection of a load, from which it is opened: 127.0.0.2 and so on, in turn. A service
 * closes connections of one address when it has too many.
 *
 * @param {number} connection
 */
export const loopbackAddress = (connection) => `127.0.0.${2 + (connection % ADDRESSES)}`
