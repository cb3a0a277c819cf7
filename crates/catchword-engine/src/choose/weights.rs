//! Fitted weights. Written by the training program (`docs/measured.md` says how): do not edit.
//!
//! Fitted to 55434 lines of 31 compactions, of which 1312 say a fact that the summary lost.

use super::{Model, Shares};

/// Percent of the reference that each pool may use before the others.
pub const SHARES: Shares = [25, 5, 35, 15, 5, 10, 8, 3, 4];

pub const FITTED: Model<'static> = Model {
    edges: &[
        // kind of line
        &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
        // rows since
        &[3.178, 3.989, 4.443, 4.762, 5.094],
        // share of the session since
        &[0.134, 0.333, 0.512, 0.688, 0.856],
        // length
        &[19.0, 31.0, 44.0, 61.0, 86.0],
        // specific things
        &[1.0, 2.0, 3.0],
        // specific things the model lacks
        &[1.0, 2.0],
        // share of its specific things the model lacks
        &[0.071, 0.5, 0.667],
        // how often its new things were used
        &[0.693, 1.386, 1.946, 2.773],
        // how often its most used new thing was used
        &[0.693, 1.099, 1.386, 1.946],
        // how lately a new thing was used
        &[2.773, 4.127, 4.942, 9.0],
        // new things that stand in several kinds of lines
        &[1.0, 2.0],
        // new things that the agent said
        &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
        // new things that the person said
        &[1.0, 2.0],
        // new things in commands
        &[1.0, 3.0],
        // words
        &[1.0, 2.0, 4.0, 7.0],
        // words the model lacks
        &[1.0, 2.0, 4.0],
        // rare words the model lacks
        &[1.324, 3.474, 5.098, 8.507, 14.86],
        // share of its words the model lacks
        &[0.048, 0.432, 0.595, 0.781, 1.0],
        // closeness to the end of the summary
        &[0.002, 0.165, 0.268, 0.385, 0.556],
        // closeness to the latest request
        &[0.002, 0.061, 0.104, 0.163, 0.288],
        // from a failed call
        &[1.0],
        // lines before it in its text
        &[1.0, 10.0, 28.0, 64.0, 132.0],
        // lines after it in its text
        &[1.0, 10.0, 27.0, 57.0, 142.0],
        // lines of its text
        &[1.099, 3.466, 4.394, 5.063, 5.58],
        // position in its text
        &[0.002, 0.197, 0.4, 0.6, 0.801],
        // names an error
        &[1.0],
        // counts results
        &[1.0],
        // list item
        &[1.0],
        // numbered item
        &[1.0],
        // heading
        &[1.0],
        // table row
        &[1.0],
        // emphasis
        &[1.0],
        // code span
        &[1.0],
        // colon
        &[1.0],
        // ends with a colon
        &[1.0],
        // digits
        &[1.0, 2.0, 3.0, 5.0],
        // share of punctuation
        &[0.062, 0.106, 0.143, 0.182, 0.24],
        // runs of the same line
        &[0.693, 1.099, 1.386, 1.609, 1.792, 1.946, 4.078],
        // web address
        &[1.0],
        // letters beyond ASCII
        &[1.0],
        // overtaken by a later run
        &[1.0],
        // in the first prompt
        &[1.0],
        // requests since
        &[0.693, 1.099, 1.386, 1.792, 2.197],
        // in the latest request
        &[1.0],
        // ends a turn
        &[1.0],
        // question
        &[1.0],
        // run with an outcome
        &[1.0],
        // failed run
        &[1.0],
        // lines of the same row
        &[2.708, 3.526, 3.807, 4.407, 5.165],
        // its new things were used again later
        &[1.0, 2.0],
    ],
    weights: &[
        // kind of line
        &[0.163, 0.326, 0.252, -0.057, -0.101, -0.093, 0.407, -0.499, -0.4],
        // rows since
        &[0.264, 0.344, 0.392, -0.107, -0.081, -0.813],
        // share of the session since
        &[-0.105, -0.109, -0.091, 0.091, -0.098, 0.313],
        // length
        &[-0.572, -0.44, -0.209, -0.122, 0.337, 1.005],
        // specific things
        &[0.157, 0.054, -0.028, -0.182],
        // specific things the model lacks
        &[-0.137, 0.061, 0.076],
        // share of its specific things the model lacks
        &[-0.137, -0.112, 0.153, 0.096],
        // how often its new things were used
        &[-0.137, 0.166, 0.194, -0.05, -0.174],
        // how often its most used new thing was used
        &[-0.137, 0.069, 0.144, -0.002, -0.074],
        // how lately a new thing was used
        &[0.331, 0.205, -0.023, -0.376, -0.137],
        // new things that stand in several kinds of lines
        &[-0.05, -0.054, 0.104],
        // new things that the agent said
        &[-0.25, 0.259, -0.009, 0.025, 0.005, -0.005, -0.016, -0.002, -0.006],
        // new things that the person said
        &[-0.172, 0.218, -0.046],
        // new things in commands
        &[-0.383, 0.205, 0.178],
        // words
        &[0.295, 0.101, -0.179, -0.174, -0.042],
        // words the model lacks
        &[-0.096, -0.019, -0.094, 0.21],
        // rare words the model lacks
        &[-0.096, 0.265, -0.176, -0.037, 0.097, -0.053],
        // share of its words the model lacks
        &[-0.096, -0.089, -0.115, -0.014, 0.118, 0.196],
        // closeness to the end of the summary
        &[-0.03, -0.099, 0.018, -0.012, 0.016, 0.107],
        // closeness to the latest request
        &[-0.028, -0.107, -0.114, 0.047, 0.232, -0.029],
        // from a failed call
        &[-0.303, 0.303],
        // lines before it in its text
        &[0.152, 0.001, 0.064, -0.066, 0.025, -0.177],
        // lines after it in its text
        &[0.096, 0.117, -0.022, -0.157, -0.067, 0.032],
        // lines of its text
        &[-0.088, 0.095, -0.055, 0.259, -0.088, -0.124],
        // position in its text
        &[0.152, 0.056, -0.259, -0.166, 0.029, 0.188],
        // names an error
        &[-0.074, 0.074],
        // counts results
        &[0.1, -0.1],
        // list item
        &[-0.046, 0.046],
        // numbered item
        &[0.009, -0.009],
        // heading
        &[0.149, -0.149],
        // table row
        &[-0.125, 0.125],
        // emphasis
        &[-0.202, 0.202],
        // code span
        &[-0.126, 0.126],
        // colon
        &[-0.022, 0.022],
        // ends with a colon
        &[0.102, -0.102],
        // digits
        &[-0.065, 0.219, -0.3, 0.07, 0.076],
        // share of punctuation
        &[-0.065, -0.172, 0.252, 0.298, -0.194, -0.119],
        // runs of the same line
        &[-0.281, 0.09, 0.018, 0.093, -0.012, 0.053, 0.125, -0.086],
        // web address
        &[-0.089, 0.089],
        // letters beyond ASCII
        &[-0.13, 0.13],
        // overtaken by a later run
        &[0.141, -0.141],
        // in the first prompt
        &[0.008, -0.008],
        // requests since
        &[0.016, 0.058, 0.175, -0.001, 0.211, -0.458],
        // in the latest request
        &[0.011, -0.011],
        // ends a turn
        &[-0.075, 0.075],
        // question
        &[-0.083, 0.083],
        // run with an outcome
        &[-0.098, 0.098],
        // failed run
        &[-0.074, 0.074],
        // lines of the same row
        &[0.526, -0.048, -0.2, -0.196, -0.077, -0.005],
        // its new things were used again later
        &[0.02, -0.076, 0.056],
    ],
};
