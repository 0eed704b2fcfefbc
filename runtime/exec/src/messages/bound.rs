//! An image that a message accesses. Its surface is looked up once a message; the buffer and the row of the last texel are kept, since those of the
//! next channel are mostly the same.

use crate::state::cause::Cause;
use crate::state::image::Shape;
use crate::state::memory::{Nearby, Shared, Span};

/// An image that a message accesses.
pub struct BoundImage<'a> {
    pub shape: Shape,
    memory: Nearby<'a>,
    /// Size of a texel in bytes.
    pub texel_bytes: usize,
    /// Row and slice of the last texel, and what they contribute to its offset.
    row: (u64, u64),
    of_row: u64,
}

impl<'a> BoundImage<'a> {
    /// The image of a binding table index.
    pub fn new(shared: &Shared<'a>, surface: u32) -> Result<BoundImage<'a>, Cause> {
        let (space, shape) = shared.image(surface)?;
        Ok(BoundImage {
            memory: Nearby::new(space),
            texel_bytes: shape.format.bytes(),
            row: (0, 0),
            of_row: shape.of_row(0, 0),
            shape,
        })
    }

    /// Memory of a texel for a channel; none outside the image.
    pub fn texel(&mut self, at: [i64; 3], lane: usize) -> Result<Option<Span<'a>>, Cause> {
        let Some([x, y, z]) = self.shape.inside(at) else {
            return Ok(None);
        };
        if self.row != (y, z) {
            self.row = (y, z);
            self.of_row = self.shape.of_row(y, z);
        }
        let offset = self.of_row + self.shape.of_byte(x * self.texel_bytes as u64);
        self.memory
            .at(offset, self.texel_bytes, lane as u32)
            .map(Some)
    }
}
