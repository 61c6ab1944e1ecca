//! Functions of Jinja, Ansible, Sprig and Puppet, and their equivalents.

/// Foreign names of one function, and its equivalent in an expression and in a template.
struct Foreign {
    names: &'static [&'static str],
    expression: &'static str,
    template: &'static str,
}

const fn row(names: &'static [&'static str], expression: &'static str, template: &'static str) -> Foreign {
    Foreign { names, expression, template }
}

static FOREIGN: &[Foreign] = &[
    row(
        &["to_json", "to_nice_json", "toJson", "toPrettyJson", "mustToJson", "tojson"],
        "jsonencode(VALUE)",
        "VALUE | jsonencode",
    ),
    row(&["yes", "on"], "true", "true"),
    row(&["no", "off"], "false", "false"),
    row(&["from_json", "fromJson", "parsejson"], "jsondecode(TEXT)", "TEXT | jsondecode"),
    row(&["to_yaml", "to_nice_yaml", "toYaml"], "yamlencode(VALUE)", "VALUE | yamlencode"),
    row(&["from_yaml", "fromYaml", "parseyaml"], "yamldecode(TEXT)", "TEXT | yamldecode"),
    row(&["b64encode", "b64enc"], "base64encode(TEXT)", "TEXT | base64encode"),
    row(&["b64decode", "b64dec"], "base64decode(TEXT)", "TEXT | base64decode"),
    row(&["default", "d"], "coalesce(VALUE, FALLBACK)", "VALUE | default FALLBACK"),
    row(
        &["regex_replace", "regexReplaceAll", "regsubst"],
        "replace(TEXT, \"/PATTERN/\", REPLACEMENT)",
        "TEXT | replace `/PATTERN/` REPLACEMENT",
    ),
    row(&["regex_search", "regexFind"], "regex(PATTERN, TEXT)", "TEXT | regex PATTERN"),
    row(&["regex_findall", "regexFindAll"], "regexall(PATTERN, TEXT)", "TEXT | regexall PATTERN"),
    row(&["regex_match", "regexMatch", "match"], "can(regex(PATTERN, TEXT))", "can (TEXT | regex PATTERN)"),
    row(&["combine", "mergeOverwrite", "mustMerge"], "merge(MAP, OTHER)", "MAP | merge OTHER"),
    row(&["deep_merge"], "deepmerge(MAP, OTHER)", "MAP | deepmerge OTHER"),
    row(&["dict2items"], "[for key, value in MAP : {key = key, value = value}]", "range $key, $value := MAP"),
    row(&["items2dict"], "{for item in LIST : item.key => item.value}", "range LIST"),
    row(&["union"], "setunion(LIST, OTHER)", "LIST | setunion OTHER"),
    row(&["intersect", "intersection"], "setintersection(LIST, OTHER)", "LIST | setintersection OTHER"),
    row(&["difference", "without"], "setsubtract(LIST, OTHER)", "LIST | setsubtract OTHER"),
    row(&["unique", "uniq"], "distinct(LIST)", "LIST | distinct"),
    row(&["first"], "element(LIST, 0)", "element LIST 0"),
    row(&["last"], "element(LIST, -1)", "element LIST -1"),
    row(&["has"], "contains(LIST, VALUE)", "VALUE | in LIST"),
    row(&["hasKey", "has_key"], "contains(keys(MAP), KEY)", "KEY | in MAP"),
    row(&["hasPrefix"], "startswith(TEXT, PREFIX)", "TEXT | startswith PREFIX"),
    row(&["hasSuffix"], "endswith(TEXT, SUFFIX)", "TEXT | endswith SUFFIX"),
    row(&["trimPrefix"], "trimprefix(TEXT, PREFIX)", "TEXT | trimprefix PREFIX"),
    row(&["trimSuffix"], "trimsuffix(TEXT, SUFFIX)", "TEXT | trimsuffix SUFFIX"),
    row(&["trimAll"], "trim(TEXT, CHARACTERS)", "TEXT | trim CHARACTERS"),
    row(&["strip"], "trimspace(TEXT)", "TEXT | trimspace"),
    row(&["toString", "string"], "tostring(VALUE)", "VALUE | tostring"),
    row(&["int", "int64", "float", "float64", "atoi"], "tonumber(TEXT)", "TEXT | tonumber"),
    row(&["bool"], "tobool(TEXT)", "TEXT | tobool"),
    row(&["capitalize", "capwords"], "title(TEXT)", "TEXT | title"),
    row(&["squote", "shellquote", "shell_escape"], "quote(TEXT)", "TEXT | quote"),
    row(&["splitList"], "split(SEPARATOR, TEXT)", "TEXT | split SEPARATOR"),
    row(&["nindent"], "indent(SPACES, TEXT)", "TEXT | indent SPACES"),
    row(&["ternary"], "CONDITION ? YES : NO", "if CONDITION"),
    row(&["type_debug", "kindOf", "typeOf", "typeof"], "type(VALUE)", "VALUE | type"),
    row(
        &["version", "version_compare", "semverCompare", "versionMatches"],
        "versionmatches(VERSION, \">= 1.2\")",
        "VERSION | versionmatches `>= 1.2`",
    ),
    row(&["password_hash"], "sha512crypt(PASSWORD, SALT)", "PASSWORD | sha512crypt SALT"),
    row(&["hash", "sha256sum", "checksum"], "sha256(TEXT)", "TEXT | sha256"),
    row(&["sha1sum"], "sha1(TEXT)", "TEXT | sha1"),
    row(&["md5sum"], "md5(TEXT)", "TEXT | md5"),
    row(&["urlquote"], "urlencode(TEXT)", "TEXT | urlencode"),
    row(&["urlsplit", "urlParse"], "urlparse(TEXT)", "TEXT | urlparse"),
    row(&["ipsubnet"], "cidrsubnet(NETWORK, BITS, NUMBER)", "NETWORK | cidrsubnet BITS NUMBER"),
    row(&["seq", "until", "untilStep"], "range(FROM, TO)", "range LIST"),
    row(&["fileContents", "readfile"], "file(PATH)", "PATH | file"),
    row(
        &["timestamp", "plantimestamp", "now", "strftime", "unixEpoch", "to_datetime"],
        "task.query.NAME.status.stdout",
        "lookup `task.query.NAME.status.stdout`",
    ),
    row(
        &[
            "random_password",
            "random_string",
            "generate_password",
            "randAlphaNum",
            "randAscii",
            "fqdn_rand_string",
        ],
        "random.password.NAME.value",
        "lookup `random.password.NAME.value`",
    ),
    row(
        &["random", "random_integer", "randInt", "fqdn_rand"],
        "random.integer.NAME.value",
        "lookup `random.integer.NAME.value`",
    ),
    row(
        &["uuid", "uuidv4", "random_uuid", "generate_uuid"],
        "random.uuid.NAME.value",
        "lookup `random.uuid.NAME.value`",
    ),
    row(&["random_id", "randBytes"], "random.id.NAME.hex", "lookup `random.id.NAME.hex`"),
    row(&["shuffle", "random_shuffle"], "random.shuffle.NAME.values", "lookup `random.shuffle.NAME.values`"),
    row(&["file_exists", "isfile", "is_file"], "fileexists(PATH)", "PATH | fileexists"),
    row(&["fileglob", "glob", "filetree"], "fileset(FOLDER, \"*.conf\")", "FOLDER | fileset `*.conf`"),
    row(&["len", "size", "count"], "length(VALUE)", "len VALUE"),
    row(&["printf"], "format(FORMAT, VALUE)", "printf FORMAT VALUE"),
    row(&["jsonify"], "jsonencode(VALUE)", "VALUE | jsonify"),
    row(&["eq"], "VALUE == OTHER", "eq VALUE OTHER"),
    row(&["ne"], "VALUE != OTHER", "ne VALUE OTHER"),
    row(&["not"], "!VALUE", "not VALUE"),
    row(&["param", "paramList", "paramMap"], "param.NAME", "param `NAME`"),
    row(&["env"], "env.NAME", "env `NAME`"),
    row(&["map"], "pluck(LIST, \"name\")", "LIST | pluck `name`"),
    row(&["selectattr", "select"], "[for item in LIST : item if item.enabled]", "range LIST"),
    row(&["rejectattr", "reject"], "[for item in LIST : item if !item.enabled]", "range LIST"),
    row(&["items", "iteritems"], "[for key, value in MAP : key]", "range $key, $value := MAP"),
    row(
        &["subelements"],
        "flatten([for item in LIST : [for part in item.parts : {item = item, part = part}]])",
        "range LIST",
    ),
    row(&["zip"], "zipmap(KEYS, VALUES)", "KEYS | zipmap VALUES"),
    row(&["product", "nested"], "setproduct(LIST, OTHER)", "LIST | setproduct OTHER"),
    row(&["ipaddr", "ipv4", "ipv6", "nthhost"], "cidrhost(NETWORK, NUMBER)", "NETWORK | cidrhost NUMBER"),
    row(&["escape", "e"], "replace(TEXT, \"<\", \"&lt;\")", "html TEXT"),
    row(&["round"], "floor(NUMBER + 0.5)", "NUMBER | add 0.5 | floor"),
    row(&["comment"], "replace(TEXT, \"/(?m)^/\", \"# \")", "TEXT | replace `/(?m)^/` `# `"),
    row(&["omit"], "try(VALUE, null)", "if VALUE"),
    row(&["item"], "each.value", "each.value"),
    row(&["role_path"], "path.module", "path.module"),
    row(&["playbook_dir"], "path.root", "path.root"),
    row(
        &["ansible_hostname", "ansible_nodename", "inventory_hostname", "inventory_hostname_short"],
        "platform.hostname",
        "platform.hostname",
    ),
    row(&["ansible_fqdn", "ansible_domain"], "platform.fqdn", "platform.fqdn"),
    row(&["ansible_os_family"], "platform.family", "platform.family"),
    row(&["ansible_distribution"], "platform.distribution", "platform.distribution"),
    row(&["ansible_distribution_version"], "platform.version", "platform.version"),
    row(&["ansible_distribution_major_version"], "platform.major_version", "platform.major_version"),
    row(&["ansible_distribution_release", "ansible_lsb"], "platform.codename", "platform.codename"),
    row(&["ansible_architecture", "ansible_machine"], "platform.architecture", "platform.architecture"),
    row(&["ansible_kernel"], "platform.kernel", "platform.kernel"),
    row(&["ansible_system"], "platform.os", "platform.os"),
    row(
        &["ansible_default_ipv4", "ansible_default_ipv6", "ansible_host"],
        "platform.address",
        "platform.address",
    ),
    row(
        &["ansible_all_ipv4_addresses", "ansible_all_ipv6_addresses"],
        "platform.addresses",
        "platform.addresses",
    ),
    row(&["ansible_interfaces"], "platform.interfaces", "platform.interfaces"),
    row(
        &[
            "ansible_processor_vcpus",
            "ansible_processor_cores",
            "ansible_processor_count",
            "ansible_processor_nproc",
        ],
        "platform.cpus",
        "platform.cpus",
    ),
    row(&["ansible_memtotal_mb", "ansible_memory_mb"], "platform.memory_mib", "platform.memory_mib"),
    row(&["ansible_swaptotal_mb"], "platform.swap_mib", "platform.swap_mib"),
    row(&["ansible_mounts"], "platform.mounts", "platform.mounts"),
    row(
        &["ansible_virtualization_type", "ansible_virtualization_role"],
        "platform.virtualization",
        "platform.virtualization",
    ),
    row(&["ansible_service_mgr"], "platform.init_system", "platform.init_system"),
    row(&["ansible_selinux"], "platform.selinux", "platform.selinux"),
    row(&["ansible_env"], "env.NAME", "env `NAME`"),
    row(&["ansible_check_mode"], "false", "false"),
];

fn find(name: &str) -> Option<&'static Foreign> {
    FOREIGN.iter().find(|foreign| foreign.names.contains(&name))
}

/// Returns the equivalent in an expression.
#[doc(hidden)]
pub fn in_expression(name: &str) -> Option<&'static str> {
    find(name).map(|foreign| foreign.expression)
}

/// Returns the equivalent in a template.
pub(crate) fn in_template(name: &str) -> Option<&'static str> {
    find(name).map(|foreign| foreign.template)
}

/// Returns all foreign names with their equivalents in an expression and in a template.
#[cfg(test)]
pub(crate) fn all() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let names = |foreign: &'static Foreign| {
        foreign.names.iter().map(|name| (*name, foreign.expression, foreign.template))
    };
    FOREIGN.iter().flat_map(names)
}
