import ipaddr from 'ipaddr.js';

type Address = ReturnType<typeof ipaddr.process>;
type Network = readonly [Address, number];

/** A network of IPv4 addresses written as IPv6 (`::ffff:10.0.0.0/104`) is one of IPv4. */
const parseNetwork = (cidr: string): Network => {
  const [address, bits] = ipaddr.parseCIDR(cidr);
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= 96
    ? [address.toIPv4Address(), bits - 96]
    : [address, bits];
};

/**
 * Makes the judgement whether an address lies in one of some networks. A peer of IPv4 that reaches a socket of IPv6
 * (`::ffff:192.0.2.1`) counts as IPv4. What is no address lies in none.
 * @param networks in CIDR notation
 */
export const createNetworkCheck = (networks: readonly string[]): ((address: string) => boolean) => {
  const parsed = networks.map(parseNetwork);
  return (address) => {
    if (!ipaddr.isValid(address)) return false;
    const peer = ipaddr.process(address);
    return parsed.some(([network, bits]) => network.kind() === peer.kind() && peer.match(network, bits));
  };
};
