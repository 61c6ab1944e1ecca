//! A target that parses any text as an expression, lowers it, and evaluates it.

use super::load;

pub(crate) fn run(bytes: &[u8]) {
    let expression = String::from_utf8_lossy(bytes);
    load::check(&format!(
        "param \"text\" {{ default = \"a b\" }}\n\
         param \"number\" {{ default = 7 }}\n\
         param \"list\" {{ default = [1, \"b\", true] }}\n\
         param \"map\" {{ default = {{ a = 1, b = [2] }} }}\n\
         param \"x\" {{\n  default = {expression}\n}}\n\
         task.query \"q\" {{ query = param.text }}\n\
         task.query \"y\" {{\n  query = {expression}\n}}\n"
    ));
}
