/** The queue backend on Chronicle Queue: one host, low latency. */
@NullMarked
package io.forebay.chronicle;

import org.jspecify.annotations.NullMarked;
