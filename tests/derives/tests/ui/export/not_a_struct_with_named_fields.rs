#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Export)]
enum Enum {
    A,
}

#[derive(Export)]
struct Tuple(String);

#[derive(Export)]
union Union {
    a: u32,
}

fn exports<T: Export + ToValue>() {}

fn no_cascade() {
    exports::<Enum>();
    exports::<Tuple>();
    exports::<Union>();
}

fn main() {}
