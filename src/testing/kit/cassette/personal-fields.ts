import { foldName } from "./secret-names.js";

/** What a personal value is, which decides what its fake looks like. */
export type PersonalKind = "name" | "login" | "phone" | "text" | "ip" | "picture" | "date" | "coordinate";

/** Names without case and separators. Longer names that end so are meant too: `primaryPhone`, `manager_first_name`. */
const ALWAYS: readonly (readonly [RegExp, PersonalKind])[] = [
  [/(?:given|first|last|family|middle|full|maiden|nick|preferred|legal|formal|real|sur|fore)names?$/, "name"],
  [/^(?:sn|cn|gecos|initials|nickname|honorificprefix|nameprefix)$/, "name"],
  [
    /(?:username|userprincipalname|upn|samaccountname|screenname|loginname|mailnickname|userlogin|accountlogin)$/,
    "login",
  ],
  [/^(?:login|handle|alias)$/, "login"],
  [/(?:phone|mobile|telephone|phonenumbers?|mobilenumber|cellphone|faxnumber|fax|msisdn)$/, "phone"],
  [
    /(?:streetaddress|street|addressline\d?|address[123]|postaladdress|homeaddress|workaddress|mailingaddress|postalcode|zipcode|postcode)$/,
    "text",
  ],
  [/^(?:zip|address|ssn|passport|passportnumber|nationalid|taxid|iban|birthplace|macaddress)$/, "text"],
  [/(?:birthdate|dateofbirth|birthday|dob)$/, "date"],
  [
    /^(?:avatar|avatarurl|picture|pictureurl|photo|photourl|gravatar|gravatarid|thumbnailphoto|profileimage|profilepicture|profileimageurl|thumbnailphotourl)$/,
    "picture",
  ],
  [/^(?:latitude|longitude|lat|lng|lon)$/, "coordinate"],
];
/** "zip" and "membership" end so too. */
const IP =
  /^(?:ipv?[46]?|(?:client|remote|source|src|last|login|actor|user|current|public|private|origin|lastlogin|currentsignin|lastsignin)?ip(?:v[46])?(?:addr|address|addresses)|(?:client|remote|source|src|last|login|actor|user|lastlogin)ip|xforwardedfor|xrealip|cfconnectingip|trueclientip|remoteaddr)$/;
/** In an object that is a person. */
const OF_PERSONS: readonly (readonly [RegExp, PersonalKind])[] = [
  [/^(?:name|displayname|formatted|friendlyname|commonname)$/, "name"],
  [/^(?:city|locality|region|town|district|formattedaddress|location)$/, "text"],
  [/^(?:nick|accountname)$/, "login"],
];
/** Only a person has one of these. */
const MARKS_PERSON =
  /(?:^|work|primary|home|personal|private|actor|user)(?:e?mails?|emailaddress(?:es)?)$|^(?:login|username|userprincipalname|firstname|lastname|givenname|surname|familyname|fullname|phone|phonenumbers?|mobilephone|samaccountname|jobtitle|birthdate)$/;
/** Names of fields, and of the last word of an address, that hold persons. */
const PERSON_WORD =
  /^(?:user|member|person|people|employee|staff|contact|owner|manager|actor|author|creator|assignee|reviewer|approver|requester|requestor|sender|recipient|participant|collaborator|contributor|supervisor|worker|admin|agent|customer|guest|profile|account|createdby|updatedby|modifiedby|invitedby|assignedto|reportsto|me|self|address|name)(?:e?s)?$/;

/** What an object is part of. */
export interface Surroundings {
  readonly isPerson: boolean;
}

/** The surroundings of a body: the last word of its address that is not an id, as in `/v1/users/17`. */
export function surroundingsOfAddress(url: string): Surroundings {
  const words = new URL(url).pathname.split("/").filter((part) => /^[a-z][a-z_-]*(?:\.json)?$/i.test(part));
  return { isPerson: isPersonWord((words.at(-1) ?? "").replace(/\.json$/i, "")) };
}

/** The surroundings of what lies in a field. Fields that only wrap, as `data` and `items`, pass on what they lie in. */
export function surroundingsOfField(name: string, outside: Surroundings): Surroundings {
  if (/^\d*$/.test(name) || WRAPPER.test(foldName(name))) return outside;
  return { isPerson: isPersonWord(name) };
}

const WRAPPER =
  /^(?:data|items|results?|records|values?|entries|resources|list|rows|nodes?|edges|embedded|attributes|properties|details|info|content|response|profile|body|page|hits|source|viewer|query|connection)$/;

function isPersonWord(name: string): boolean {
  return PERSON_WORD.test(foldName(name));
}

/** Whether the fields of an object are those of a person. */
export function isPerson(fields: object): boolean {
  return Object.keys(fields).some((name) => MARKS_PERSON.test(foldName(name)));
}

/** The kind of a field's value; undefined if its name says nothing of a person. */
export function personalKind(name: string, { isPerson }: Surroundings): PersonalKind | undefined {
  const folded = foldName(name);
  if (IP.test(folded)) return "ip";
  const rules = isPerson ? [...ALWAYS, ...OF_PERSONS] : ALWAYS;
  return rules.find(([pattern]) => pattern.test(folded))?.[1];
}
