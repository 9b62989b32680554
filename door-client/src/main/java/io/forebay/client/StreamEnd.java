/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.client;

/**
 * All lines of a stream were answered.
 *
 * @param last the number of the last line
 * @param accepted how many lines of this stream object were accepted; those will be performed
 * @param refused how many lines of this stream object were refused
 */
public record StreamEnd(long last, long accepted, long refused) {}
