//! Types in `.proto` files, from which a build script generates structs without `protoc`.

use std::time::Duration;

use converge_controller::registry::TypeRegistry;
use converge_controller::storage::Consistency;
use converge_controller::testing::{TestClient, resource};
use converge_controller::validation::{Cause, Invalid};
use converge_controller::{StoredResource as _, Typed};

include!(concat!(env!("OUT_DIR"), "/stored.rs"));
use converge::shop::v1::{Item, Order};

/// The hook that `build.rs` names.
fn check(order: &Typed<Order>) -> Result<(), Invalid> {
    let mut invalid = Invalid::collect();
    for (index, item) in order.items.iter().enumerate() {
        invalid.field("items").element(index).field("name").require(!item.name.is_empty(), Cause::Empty);
    }
    invalid.finish()
}

fn order(name: &str) -> Order {
    let items = vec![Item { name: name.to_owned(), pieces: 2 }];
    Order { items, within: Some(Duration::from_secs(60)) }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = TestClient::in_memory(TypeRegistry::register::<Order>).await;
    let stored = resource("first").with_data(order("tea")).write(&client).await;
    let found = client.find_as::<Order>(stored.id(), Consistency::Strong).await?.ok_or("it is there")?;
    assert_eq!(found.data, order("tea"));
    println!("{} of {}: {}", found.id().name, Order::resource_type(), found.items[0].name);

    let refused = client.write(resource("second").with_data(order("")).build()).await.unwrap_err();
    println!("{refused}");
    Ok(())
}
