export const PEOPLE = 421;
export const GROUPS = 61;

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const people = "ou=people,dc=example,dc=com";
const groups = "ou=groups,dc=example,dc=com";

/** A company's directory: people, teams, and a group whose members are named in odd ways. */
export function companyLdif(): string {
  return [
    ...[people, groups].map((dn) => `dn: ${dn}\nobjectClass: organizationalUnit`),
    ...numbers(PEOPLE - 1).map(person),
    // A comma in a name.
    `dn: cn=Person\\, 1,${people}\nobjectClass: inetOrgPerson\ncn: Person, 1\nsn: Person`,
    ...numbers(GROUPS - 1).map(team),
    `dn: cn=Odd names,${groups}\nobjectClass: groupOfNames\ncn: Odd names
member: CN=person\\, 1, OU=People, DC=Example,DC=com
member: cn=Team 1,${groups}`,
    "",
  ].join("\n\n");
}

const person = (n: number) => `dn: uid=p${n},${people}
objectClass: inetOrgPerson
uid: p${n}
cn: Person ${n}
givenName: Given ${n}
sn: Sur ${n}
mail: Person.${n}@example.com
mail: p${n}@example.com
departmentNumber: Department ${n % 12}`;

const team = (n: number) => `dn: cn=Team ${n},${groups}
objectClass: groupOfNames
cn: Team ${n}
${numbers(PEOPLE - 1)
  .filter((each) => each % 30 === n % 30)
  .map((each) => `member: uid=p${each},${people}`)
  .join("\n")}`;
