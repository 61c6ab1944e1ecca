//! A crate with every kind of item, for the test of the list.

use std::fmt;

/// Is documented, as rustdoc wants it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Plain<'a, T: Clone + 'a = u8, const N: usize = 3>
where
    T: Send,
{
    pub x: &'a [T; N],
    y: u8,
    #[doc(hidden)]
    pub z: u8,
}

pub struct Tuple(pub u8, Vec<u8>);

pub struct Unit;

pub enum Choice {
    Plain,
    Tuple(u8, #[doc(hidden)] u16),
    Struct { x: Option<Box<dyn Fn(&str) -> u8 + Send + 'static>> },
}

pub trait Trait<X>: fmt::Debug + Send {
    type Out: Clone;
    const K: u8;
    const L: u8 = 3;
    fn required(&self) -> Self::Out;
    fn provided(self: Box<Self>, n: impl Into<String>) -> impl Iterator<Item = u8>
    where
        Self: Sized,
    {
        let _ = n;
        std::iter::empty()
    }
}

impl<'a, T: Clone + Send, const N: usize> Plain<'a, T, N> {
    pub const C: usize = N;
    pub async fn called<F>(&mut self, f: F) -> Result<(), fmt::Error>
    where
        F: for<'b> FnOnce(&'b str) -> &'b str,
    {
        let _ = f;
        Ok(())
    }
    pub unsafe fn odd(self, p: *const u8, t: (u8, &mut str), s: <Vec<u8> as IntoIterator>::Item, f: fn(u8) -> u8) -> ! {
        let _ = (p, t, s, f);
        loop {}
    }
    fn private(&self) {}
}

impl Trait<u8> for Unit {
    type Out = u8;
    const K: u8 = 1;
    fn required(&self) -> u8 {
        1
    }
}

/// An implementation for a foreign type, which is listed with the trait.
impl Trait<u8> for String {
    type Out = u8;
    const K: u8 = 1;
    fn required(&self) -> u8 {
        1
    }
}

impl fmt::Debug for Unit {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

impl<T> From<T> for Tuple
where
    T: Into<u8>,
{
    fn from(_: T) -> Self {
        Tuple(1, vec![])
    }
}

pub mod module {
    pub use super::Plain as Renamed;
    pub use std::collections::HashMap;
    pub type Alias<T> = Result<T, u8>;
    pub static TEXT: &str = "x";
    pub const NUMBERS: [u8; 2] = [1, 2];
    pub fn plain() {}
    #[macro_export]
    macro_rules! own {
        ($x:expr) => {};
    }
}

mod hidden {
    pub struct Shown;
    impl Shown {
        pub fn method(&self) {}
    }
    pub mod deep {
        pub fn function() {}
    }
    pub struct NotShown;
}

pub use hidden::Shown;
pub use hidden::deep::*;
pub use module::*;
