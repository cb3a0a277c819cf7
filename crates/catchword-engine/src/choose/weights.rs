//! Fitted weights. Written by the training program (`docs/measured.md` says how): do not edit.
//!
//! Fitted to 50536 lines of 31 compactions, of which 1281 say a fact that the summary lost.

use super::{Model, Shares};

/// Percent of the reference that each pool may use before the others.
pub const SHARES: Shares = [18, 10, 5, 33, 13, 5, 10, 6, 8, 3, 4];

pub const FITTED: Model<'static> = Model {
    edges: &[
        // kind of line
        &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0],
        // rows since
        &[3.091, 3.871, 4.317, 4.635, 4.984],
        // share of the session since
        &[0.137, 0.345, 0.528, 0.698, 0.867],
        // length
        &[21.0, 33.0, 46.0, 62.0, 88.0],
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
        &[3.135, 4.331, 5.118, 9.0],
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
        &[1.305, 3.408, 5.129, 8.382, 14.767],
        // share of its words the model lacks
        &[0.047, 0.434, 0.596, 0.78, 1.0],
        // closeness to the end of the summary
        &[0.001, 0.166, 0.268, 0.389, 0.558],
        // closeness to the latest request
        &[0.001, 0.062, 0.104, 0.165, 0.29],
        // from a failed call
        &[1.0],
        // lines before it in its text
        &[1.0, 9.0, 25.0, 58.0, 125.0],
        // lines after it in its text
        &[1.0, 9.0, 24.0, 50.0, 119.0],
        // lines of its text
        &[1.099, 3.466, 4.263, 4.949, 5.505],
        // position in its text
        &[0.002, 0.2, 0.412, 0.617, 0.811],
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
        &[0.061, 0.104, 0.14, 0.176, 0.227],
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
        &[2.773, 3.664, 3.784, 4.369, 4.99],
        // its new things were used again later
        &[1.0, 2.0],
        // says what several rows say
        &[1.0, 2.0],
    ],
    weights: &[
        // kind of line
        &[0.015, 0.056, 0.082, 0.211, -0.065, -0.04, -0.016, -0.027, 0.124, -0.188, -0.153],
        // rows since
        &[0.149, 0.139, 0.287, -0.093, -0.062, -0.42],
        // share of the session since
        &[0.001, -0.007, -0.072, 0.026, -0.055, 0.107],
        // length
        &[-0.271, -0.265, -0.186, -0.06, 0.187, 0.594],
        // specific things
        &[-0.149, 0.144, 0.034, -0.029],
        // specific things the model lacks
        &[-0.069, -0.001, 0.07],
        // share of its specific things the model lacks
        &[-0.069, 0.035, -0.003, 0.037],
        // how often its new things were used
        &[-0.069, 0.048, 0.043, -0.038, 0.016],
        // how often its most used new thing was used
        &[-0.069, 0.011, -0.011, 0.069],
        // how lately a new thing was used
        &[0.275, 0.069, -0.123, -0.153, -0.069],
        // new things that stand in several kinds of lines
        &[0.022, -0.079, 0.058],
        // new things that the agent said
        &[-0.133, 0.143, -0.008, -0.004, -0.001, 0.01, -0.003, -0.003, -0.002],
        // new things that the person said
        &[-0.086, 0.109, -0.023],
        // new things in commands
        &[-0.286, 0.134, 0.152],
        // words
        &[0.111, -0.09, 0.015, -0.105, 0.069],
        // words the model lacks
        &[-0.071, 0.02, -0.092, 0.142],
        // rare words the model lacks
        &[-0.071, 0.173, -0.143, -0.009, 0.02, 0.029],
        // share of its words the model lacks
        &[-0.071, -0.066, -0.045, -0.004, 0.042, 0.144],
        // closeness to the end of the summary
        &[0.009, -0.037, 0.044, -0.063, -0.027, 0.074],
        // closeness to the latest request
        &[-0.04, -0.015, -0.046, 0.015, 0.099, -0.012],
        // from a failed call
        &[-0.113, 0.113],
        // lines before it in its text
        &[0.084, -0.021, 0.065, -0.042, -0.012, -0.074],
        // lines after it in its text
        &[0.086, 0.108, -0.024, -0.076, -0.085, -0.008],
        // lines of its text
        &[0.009, 0.081, -0.07, 0.088, -0.055, -0.053],
        // position in its text
        &[0.084, 0.028, -0.173, -0.077, 0.035, 0.104],
        // names an error
        &[-0.001, 0.001],
        // counts results
        &[0.025, -0.025],
        // list item
        &[0.033, -0.033],
        // numbered item
        &[0.019, -0.019],
        // heading
        &[0.095, -0.095],
        // table row
        &[-0.077, 0.077],
        // emphasis
        &[-0.118, 0.118],
        // code span
        &[-0.119, 0.119],
        // colon
        &[-0.03, 0.03],
        // ends with a colon
        &[0.057, -0.057],
        // digits
        &[-0.163, 0.058, -0.058, 0.041, 0.121],
        // share of punctuation
        &[-0.105, -0.089, 0.179, 0.247, -0.084, -0.148],
        // runs of the same line
        &[-0.193, 0.083, 0.04, 0.014, 0.003, 0.012, 0.056, -0.016],
        // web address
        &[-0.013, 0.013],
        // letters beyond ASCII
        &[-0.054, 0.054],
        // overtaken by a later run
        &[0.084, -0.084],
        // in the first prompt
        &[0.012, -0.012],
        // requests since
        &[0.007, 0.034, 0.137, 0.009, 0.138, -0.324],
        // in the latest request
        &[0.003, -0.003],
        // ends a turn
        &[-0.029, 0.029],
        // question
        &[-0.028, 0.028],
        // run with an outcome
        &[-0.139, 0.139],
        // failed run
        &[-0.007, 0.007],
        // lines of the same row
        &[0.392, 0.02, -0.266, -0.12, 0.049, -0.074],
        // its new things were used again later
        &[-0.001, -0.045, 0.047],
        // says what several rows say
        &[-0.056, 0.027, 0.03],
    ],
};
