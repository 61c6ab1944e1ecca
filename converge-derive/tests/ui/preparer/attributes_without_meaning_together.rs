#[path = "../support.rs"]
mod support;
use support::*;


#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    #[hcl(required, deprecated = "use path")]
    name: String,
    #[hcl(required, required_one_of = "path,name")]
    path: String,
    #[hcl(required, required_if = "name=a")]
    first: String,
    #[hcl(default, required_unless = "name=a")]
    second: String,
    #[hcl(valid_values = "a,b", pattern = "^[ab]$")]
    word: String,
    #[hcl(valid_values = "1,2", min = 1)]
    number: u8,
    #[hcl(nonempty)]
    flag: bool,
    #[hcl(pattern = "a", min = 1)]
    own: Ensure,
}

resource!(Test);

fn main() {}
