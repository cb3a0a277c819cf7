//! Fitted weights. Written by the training program (`docs/measured.md` says how): do not edit.
//!
//! Fitted to 55026 lines of 31 compactions, of which 1291 say a fact that the summary lost.

use super::{Model, Shares};

/// Percent of the reference that each pool may use before the others.
pub const SHARES: Shares = [25, 5, 35, 15, 5, 10, 8, 3, 4];

pub const FITTED: Model<'static> = Model {
    edges: &[
        // kind of line
        &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
        // rows since
        &[3.178, 3.989, 4.431, 4.754, 5.088],
        // share of the session since
        &[0.132, 0.336, 0.512, 0.687, 0.855],
        // length
        &[18.0, 30.0, 44.0, 61.0, 86.0],
        // specific things
        &[1.0, 2.0, 3.0],
        // specific things the model lacks
        &[1.0, 2.0],
        // share of its specific things the model lacks
        &[0.071, 0.5, 0.667],
        // how often its new things were used
        &[0.693, 1.386, 1.946, 2.89],
        // how often its most used new thing was used
        &[0.693, 1.099, 1.386, 1.946],
        // how lately a new thing was used
        &[2.639, 4.025, 4.868, 9.0],
        // new things that stand in several kinds of lines
        &[1.0, 2.0],
        // new things that the agent said
        &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
        // new things that the person said
        &[1.0, 2.0],
        // new things in commands
        &[1.0, 3.0],
        // words
        &[2.0, 3.0, 5.0, 7.0, 10.0],
        // words the model lacks
        &[1.0, 2.0, 3.0, 5.0],
        // rare words the model lacks
        &[1.288, 3.732, 6.187, 9.582, 16.154],
        // share of its words the model lacks
        &[0.04, 0.36, 0.525, 0.682, 0.907],
        // closeness to the end of the summary
        &[0.001, 0.161, 0.253, 0.368, 0.542],
        // closeness to the latest request
        &[0.001, 0.063, 0.105, 0.167, 0.293],
        // from a failed call
        &[1.0],
        // lines before it in its text
        &[1.0, 10.0, 28.0, 64.0, 132.0],
        // lines after it in its text
        &[1.0, 10.0, 27.0, 57.0, 142.0],
        // lines of its text
        &[1.099, 3.466, 4.394, 5.063, 5.583],
        // position in its text
        &[0.002, 0.197, 0.4, 0.6, 0.8],
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
        &[0.212, 0.306, 0.228, -0.035, -0.166, -0.263, 0.362, -0.425, -0.219],
        // rows since
        &[0.255, 0.35, 0.37, -0.181, -0.004, -0.791],
        // share of the session since
        &[-0.088, -0.097, -0.081, 0.12, -0.119, 0.264],
        // length
        &[-0.262, -0.247, -0.089, -0.148, 0.187, 0.558],
        // specific things
        &[-0.104, 0.332, 0.013, -0.241],
        // specific things the model lacks
        &[-0.031, -0.093, 0.124],
        // share of its specific things the model lacks
        &[-0.031, 0.003, -0.016, 0.044],
        // how often its new things were used
        &[-0.031, 0.136, 0.148, -0.13, -0.124],
        // how often its most used new thing was used
        &[-0.031, 0.092, 0.218, -0.136, -0.143],
        // how lately a new thing was used
        &[0.293, 0.134, -0.172, -0.224, -0.031],
        // new things that stand in several kinds of lines
        &[0.011, -0.076, 0.065],
        // new things that the agent said
        &[-0.315, 0.278, 0.005, 0.001, 0.007, 0.045, -0.011, -0.004, -0.007],
        // new things that the person said
        &[-0.156, 0.195, -0.039],
        // new things in commands
        &[-0.438, 0.178, 0.26],
        // words
        &[-0.259, -0.277, -0.142, -0.089, 0.167, 0.6],
        // words the model lacks
        &[-0.259, -0.32, 0.037, 0.113, 0.429],
        // rare words the model lacks
        &[-0.259, -0.071, 0.233, 0.298, 0.06, -0.261],
        // share of its words the model lacks
        &[-0.259, -0.011, -0.101, 0.177, 0.126, 0.067],
        // closeness to the end of the summary
        &[-0.37, 0.07, -0.045, -0.05, 0.216, 0.179],
        // closeness to the latest request
        &[-0.312, 0.246, 0.177, -0.021, 0.146, -0.235],
        // from a failed call
        &[-0.247, 0.247],
        // lines before it in its text
        &[0.118, -0.035, 0.058, -0.056, 0.039, -0.124],
        // lines after it in its text
        &[0.091, 0.07, -0.016, -0.158, -0.044, 0.057],
        // lines of its text
        &[-0.077, 0.07, -0.077, 0.22, -0.089, -0.047],
        // position in its text
        &[0.118, 0.066, -0.256, -0.15, 0.032, 0.19],
        // names an error
        &[0.003, -0.003],
        // counts results
        &[0.089, -0.089],
        // list item
        &[-0.044, 0.044],
        // numbered item
        &[0.052, -0.052],
        // heading
        &[0.156, -0.156],
        // table row
        &[-0.113, 0.113],
        // emphasis
        &[-0.14, 0.14],
        // code span
        &[-0.102, 0.102],
        // colon
        &[0.024, -0.024],
        // ends with a colon
        &[0.099, -0.099],
        // digits
        &[0.022, 0.224, -0.276, 0.042, -0.013],
        // share of punctuation
        &[-0.288, -0.243, 0.27, 0.363, -0.119, 0.017],
        // runs of the same line
        &[-0.218, 0.053, 0.037, 0.045, 0.021, 0.048, 0.099, -0.087],
        // web address
        &[-0.084, 0.084],
        // letters beyond ASCII
        &[0.05, -0.05],
        // overtaken by a later run
        &[0.145, -0.145],
        // in the first prompt
        &[-0.012, 0.012],
        // requests since
        &[0.001, 0.015, 0.26, 0.041, 0.255, -0.573],
        // in the latest request
        &[0.015, -0.015],
        // ends a turn
        &[-0.087, 0.087],
        // question
        &[-0.088, 0.088],
        // run with an outcome
        &[-0.087, 0.087],
        // failed run
        &[-0.001, 0.001],
        // lines of the same row
        &[0.548, -0.049, -0.219, -0.234, -0.065, 0.018],
        // its new things were used again later
        &[0.079, -0.087, 0.008],
    ],
};
