//! A build script that generates the types of the files in `proto`.

fn main() -> Result<(), converge_controller_build::BuildError> {
    converge_controller_build::Types::new(["proto"])
        .with_hooks("converge.shop.v1.Order", "validate = crate::check")
        .compile(["shop.proto"])
}
