//! Fitted weights. Written by the training program (`docs/measured.md` says how): do not edit.
//!
//! Fitted to 52714 lines of 31 compactions, of which 1304 say a fact that the summary lost.

use super::{Model, Shares};

/// Percent of the reference that each pool may use before the others.
pub const SHARES: Shares = [18, 10, 5, 33, 13, 5, 10, 6, 8, 3, 4];

pub const FITTED: Model<'static> = Model {
    edges: &[
        // kind of line
        &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0],
        // rows since
        &[3.135, 3.97, 4.407, 4.745, 5.081],
        // share of the session since
        &[0.132, 0.339, 0.517, 0.689, 0.853],
        // length
        &[21.0, 32.0, 46.0, 62.0, 88.0],
        // specific things
        &[1.0, 2.0, 3.0],
        // specific things the model lacks
        &[1.0, 2.0],
        // share of its specific things the model lacks
        &[0.071, 0.5, 0.667],
        // how often its new things were used
        &[0.693, 1.099, 1.792, 2.773],
        // how often its most used new thing was used
        &[0.693, 1.099, 1.792],
        // how lately a new thing was used
        &[3.258, 4.407, 5.257, 9.0],
        // new things that stand in several kinds of lines
        &[1.0, 2.0],
        // new things that the agent said
        &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
        // new things that the person said
        &[1.0, 2.0],
        // new things in commands
        &[1.0, 3.0],
        // words
        &[1.0, 3.0, 4.0, 7.0],
        // words the model lacks
        &[1.0, 2.0, 4.0],
        // rare words the model lacks
        &[1.324, 3.462, 5.15, 8.511, 14.909],
        // share of its words the model lacks
        &[0.048, 0.429, 0.593, 0.774, 1.0],
        // closeness to the end of the summary
        &[0.002, 0.167, 0.27, 0.389, 0.562],
        // closeness to the latest request
        &[0.002, 0.061, 0.102, 0.16, 0.284],
        // from a failed call
        &[1.0],
        // lines before it in its text
        &[1.0, 9.0, 25.0, 57.0, 124.0],
        // lines after it in its text
        &[1.0, 9.0, 24.0, 50.0, 119.0],
        // lines of its text
        &[1.099, 3.434, 4.234, 4.942, 5.505],
        // position in its text
        &[0.002, 0.2, 0.416, 0.619, 0.812],
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
        &[1.0, 2.0, 3.0, 6.0],
        // share of punctuation
        &[0.059, 0.103, 0.138, 0.176, 0.226],
        // runs of the same line
        &[0.693, 1.099, 1.386, 1.609, 1.792, 2.079, 4.127],
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
        &[2.708, 3.526, 3.738, 4.331, 4.97],
        // its new things were used again later
        &[1.0, 2.0],
        // says what several rows say
        &[1.0, 2.0],
    ],
    weights: &[
        // kind of line
        &[0.017, 0.056, 0.085, 0.208, -0.019, -0.01, -0.012, -0.041, 0.118, -0.195, -0.208],
        // rows since
        &[0.079, 0.224, 0.25, -0.078, -0.05, -0.426],
        // share of the session since
        &[0.042, -0.02, -0.07, 0.025, -0.088, 0.111],
        // length
        &[-0.274, -0.217, -0.208, -0.089, 0.184, 0.605],
        // specific things
        &[-0.146, 0.16, 0.023, -0.038],
        // specific things the model lacks
        &[-0.058, 0.006, 0.052],
        // share of its specific things the model lacks
        &[-0.058, 0.021, -0.014, 0.051],
        // how often its new things were used
        &[-0.058, 0.064, 0.016, -0.006, -0.016],
        // how often its most used new thing was used
        &[-0.058, 0.009, 0.006, 0.043],
        // how lately a new thing was used
        &[0.244, 0.09, -0.141, -0.136, -0.058],
        // new things that stand in several kinds of lines
        &[-0.012, -0.046, 0.059],
        // new things that the agent said
        &[-0.161, 0.152, -0.005, 0.002, 0.006, 0.012, -0.002, -0.002, -0.002],
        // new things that the person said
        &[-0.093, 0.116, -0.023],
        // new things in commands
        &[-0.286, 0.164, 0.122],
        // words
        &[0.099, -0.074, 0.026, -0.097, 0.046],
        // words the model lacks
        &[-0.072, 0.03, -0.099, 0.141],
        // rare words the model lacks
        &[-0.072, 0.184, -0.136, -0.043, 0.05, 0.017],
        // share of its words the model lacks
        &[-0.072, -0.076, -0.075, 0.009, 0.05, 0.164],
        // closeness to the end of the summary
        &[0.006, -0.024, 0.024, -0.04, -0.01, 0.045],
        // closeness to the latest request
        &[-0.055, -0.03, -0.039, 0.022, 0.11, -0.009],
        // from a failed call
        &[-0.14, 0.14],
        // lines before it in its text
        &[0.076, -0.004, 0.064, -0.054, 0.0, -0.082],
        // lines after it in its text
        &[0.096, 0.096, -0.018, -0.078, -0.085, -0.011],
        // lines of its text
        &[-0.003, 0.075, -0.058, 0.087, -0.046, -0.054],
        // position in its text
        &[0.076, 0.027, -0.173, -0.07, 0.05, 0.09],
        // names an error
        &[-0.027, 0.027],
        // counts results
        &[0.026, -0.026],
        // list item
        &[0.021, -0.021],
        // numbered item
        &[0.023, -0.023],
        // heading
        &[0.11, -0.11],
        // table row
        &[-0.084, 0.084],
        // emphasis
        &[-0.117, 0.117],
        // code span
        &[-0.106, 0.106],
        // colon
        &[-0.03, 0.03],
        // ends with a colon
        &[0.062, -0.062],
        // digits
        &[-0.192, 0.093, -0.053, 0.037, 0.116],
        // share of punctuation
        &[-0.084, -0.094, 0.17, 0.258, -0.086, -0.164],
        // runs of the same line
        &[-0.187, 0.075, 0.037, 0.022, 0.005, 0.012, 0.055, -0.019],
        // web address
        &[-0.018, 0.018],
        // letters beyond ASCII
        &[-0.057, 0.057],
        // overtaken by a later run
        &[0.084, -0.084],
        // in the first prompt
        &[0.013, -0.013],
        // requests since
        &[0.025, 0.015, 0.149, -0.006, 0.131, -0.315],
        // in the latest request
        &[0.003, -0.003],
        // ends a turn
        &[-0.035, 0.035],
        // question
        &[-0.028, 0.028],
        // run with an outcome
        &[-0.124, 0.124],
        // failed run
        &[-0.01, 0.01],
        // lines of the same row
        &[0.396, -0.083, -0.151, -0.137, 0.004, -0.029],
        // its new things were used again later
        &[0.035, -0.064, 0.028],
        // says what several rows say
        &[-0.059, 0.029, 0.03],
    ],
};
