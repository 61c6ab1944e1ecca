//! Text arguments of any string type.

use std::borrow::Cow;
use std::sync::Arc;

/// Text from any string type, for parameters of type `impl Into<Text>`.
///
/// An `Arc<str>` is shared; other types are copied once.
///
/// ```
/// use converge_core::load::Memory;
///
/// let text = String::from("param \"port\" { default = 80 }");
/// let shared: std::sync::Arc<str> = text.as_str().into();
/// let modules = Memory::new().with("web.hcl", &text).with("api.hcl", shared).with("main.hcl", "");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text(Arc<str>);

macro_rules! from {
    ($($ty:ty => |$text:ident| $convert:expr;)*) => {$(
        impl From<$ty> for Text {
            fn from($text: $ty) -> Self {
                Self($convert)
            }
        }
    )*};
}

from! {
    &str => |text| text.into();
    &String => |text| text.as_str().into();
    String => |text| text.into();
    Box<str> => |text| text.into();
    Cow<'_, str> => |text| text.into();
    Arc<str> => |text| text;
    &Arc<str> => |text| Arc::clone(text);
}

impl From<Text> for Arc<str> {
    fn from(text: Text) -> Self {
        text.0
    }
}
